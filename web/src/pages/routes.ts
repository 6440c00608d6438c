/**
 * Which page stands behind an address. Each is loaded when it is first shown, so the first page stays small.
 * A section has a list, and mostly a page for one file or job (`rest` of the address).
 */
import type { Component } from 'svelte';
import type { Section } from '$lib/router.svelte';

export interface PageProps {
  project: string;
  /** What follows the section in the address: the path of a file, the id of a job; '' on a list. */
  rest: string;
}

type Loader = () => Promise<{ default: Component<PageProps> }>;

const lists: Partial<Record<Section, Loader>> = {
  dashboard: () => import('./Ask.svelte'),
  systems: () => import('./Systems.svelte'),
  hardware: () => import('./Hardware.svelte'),
  formulas: () => import('./Formulas.svelte'),
  applications: () => import('./Applications.svelte'),
  experiments: () => import('./Experiments.svelte'),
  results: () => import('./Results.svelte'),
  compare: () => import('./Compare.svelte'),
  tables: () => import('./Tables.svelte'),
  models: () => import('./Models.svelte'),
  recordings: () => import('./Recordings.svelte'),
  calculators: () => import('./Calculators.svelte'),
  reports: () => import('./Reports.svelte'),
  jobs: () => import('./Jobs.svelte'),
  settings: () => import('./Settings.svelte'),
};

/** A section without an entry here gives `rest` to its list. */
const single: Partial<Record<Section, Loader>> = {
  systems: () => import('./SystemEditor.svelte'),
  applications: () => import('./ApplicationEditor.svelte'),
  experiments: () => import('./ExperimentPanel.svelte'),
  results: () => import('./ResultPage.svelte'),
  tables: () => import('./TablePage.svelte'),
  models: () => import('./ModelPage.svelte'),
  recordings: () => import('./RecordingPage.svelte'),
  reports: () => import('./ReportPage.svelte'),
};

export function pageOf(section: Section, rest: string): Loader | undefined {
  return (rest ? single[section] : undefined) ?? lists[section];
}
