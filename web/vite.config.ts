import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

// `RUNCAST_API` names a running server for `npm run dev`, for example http://127.0.0.1:8470.
const api = process.env.RUNCAST_API ?? 'http://127.0.0.1:8470';

/** Puts `NAME.gz` beside each text that the server hands out as it is. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    writeBundle({ dir }) {
      if (!dir) return;
      for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.(js|css|svg)$/.test(entry.name)) continue;
        const file = join(entry.parentPath, entry.name);
        writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  plugins: [svelte(), compressed()],
  resolve: { alias: { $lib: fileURLToPath(new URL('./src/lib', import.meta.url)) } },
  // The server puts a fresh nonce in place of this word in every page that it hands out.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
  server: {
    host: '127.0.0.1',
    // The address with the token is the server's own; Host and Origin are those that it expects.
    proxy: Object.fromEntries(['/api', '^/\\?token='].map((path) => [path, { target: api, changeOrigin: true, headers: { origin: api } }])),
  },
});
