import { defineConfig, mergeConfig } from 'vitest/config';
import pages from './vite.config';

// A machine with other work to do is slow, not wrong.
export default mergeConfig(pages, defineConfig({ test: { testTimeout: 60_000 } }));
