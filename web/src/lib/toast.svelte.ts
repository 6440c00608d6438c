/** Short messages at the edge of the page: `toast('Saved as version 4')`, `toast.error(error)`. */
import { ApiError } from './http';

export interface ToastMessage {
  id: number;
  kind: 'info' | 'ok' | 'error';
  text: string;
  action?: { label: string; run: () => void };
}

export const toasts = $state<ToastMessage[]>([]);
let next = 1;

function show(kind: ToastMessage['kind'], text: string, action?: ToastMessage['action']) {
  const id = next;
  next += 1;
  toasts.push({ id, kind, text, action });
  while (toasts.length > 4) toasts.shift();
  // Errors stay until they are closed.
  if (kind !== 'error') setTimeout(() => dismiss(id), action ? 12_000 : 5000);
}

export function dismiss(id: number) {
  const index = toasts.findIndex((message) => message.id === id);
  if (index >= 0) toasts.splice(index, 1);
}

export function toast(text: string, action?: ToastMessage['action']) {
  show('info', text, action);
}

toast.ok = (text: string, action?: ToastMessage['action']) => show('ok', text, action);
toast.error = (error: unknown) => show('error', explain(error));

/** One sentence for an error of any kind. */
export function explain(error: unknown): string {
  if (error instanceof ApiError) {
    const first = error.problems[0];
    const detail = first && !error.message.includes(first.message) ? `${error.message}: ${first.message}` : error.message;
    const hint = first?.hint ? ` (hint: ${first.hint})` : '';
    return detail + hint + (error.incident ? ` (incident ${error.incident})` : '');
  }
  return error instanceof Error ? error.message : String(error);
}
