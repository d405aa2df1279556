import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [svelte()],
  build: {
    // The server embeds this folder.
    outDir: '../crates/llamafur-serve/dist',
    emptyOutDir: true,
    target: 'es2022',
    // The content-security policy allows files of the host only: nothing inline, no polyfill.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: {
    proxy: {
      '/api/v1': 'http://127.0.0.1:8080',
      '/report': 'http://127.0.0.1:8080',
    },
  },
});
