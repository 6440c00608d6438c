/** The projects that the user may see; read once by the shell, anew when one is made. */
import { projects as api, type Project } from './api';

class Projects {
  list = $state.raw<Project[]>([]);
  ready = $state(false);
  /** The one to begin with; `site` holds only the site's hardware. */
  readonly first = $derived(this.list.find((project) => project.name !== 'site'));

  async load(): Promise<void> {
    this.list = await api.list();
    this.ready = true;
  }

  find(name: string): Project | undefined {
    return this.list.find((project) => project.name === name);
  }
}

export const projects = new Projects();
