export default {
  // Svelte reads TypeScript by itself; a preprocessor would only make the build slower.
  compilerOptions: { runes: true },
};
