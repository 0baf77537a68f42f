import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path))
const QUIET = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** An installed Chromium, or the one that the package `@sparticuz/chromium` carries. */
export async function launch(): Promise<Browser> {
  if (INSTALLED)
    return chromium.launch({ executablePath: INSTALLED, args: ['--no-sandbox', '--disable-gpu', ...QUIET] })
  const before = { ...process.env }
  // The package unpacks the libraries that a bare machine lacks only where it believes to be in a Lambda.
  process.env.AWS_LAMBDA_JS_RUNTIME = 'nodejs22.x'
  try {
    const { default: packaged } = await import('@sparticuz/chromium')
    return await chromium.launch({
      executablePath: await packaged.executablePath(),
      args: [...packaged.args, ...QUIET],
      env: { ...process.env } as Record<string, string>,
    })
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
  }
}
