import { defineConfig } from '@playwright/test'

const { SANDBOX_PORT = '4010', PORT = '3000', CHROMIUM } = process.env

export default defineConfig({
  fullyParallel: true,
  use: {
    baseURL: `http://127.0.0.1:${PORT}`,
    // Of your machine; without it Playwright takes the browser that it has installed.
    launchOptions: CHROMIUM ? { executablePath: CHROMIUM, args: ['--no-sandbox'] } : {},
  },
  webServer: [
    {
      command: `workflow-automation sandbox --port ${SANDBOX_PORT} --quiet`,
      url: `http://127.0.0.1:${SANDBOX_PORT}/__sandbox/health`,
    },
    {
      command: 'node app.js',
      env: { BASE_URL: `http://127.0.0.1:${SANDBOX_PORT}/v1`, PORT },
      url: `http://127.0.0.1:${PORT}`,
    },
  ],
})
