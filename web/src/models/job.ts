/** Waits for a job that ends soon. */
import { jobs, type Job } from '$lib/api';

const OPEN = new Set(['queued', 'running']);

export async function until(job: Job, follow?: (job: Job) => void): Promise<Job> {
  let now = job;
  for (let wait = 150; OPEN.has(now.state); wait = Math.min(2000, wait * 1.4)) {
    await new Promise((done) => setTimeout(done, wait));
    now = await jobs.get(job.id);
    follow?.(now);
  }
  return now;
}
