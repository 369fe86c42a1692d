import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// `npm run dev` speaks to a `freshet serve` on this machine.
const freshet = process.env.FRESHET_URL ?? "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react()],
  build: {
    // No data: addresses: the Content-Security-Policy names only our own origin.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": freshet, "/health": freshet, "/openapi.json": freshet } },
});
