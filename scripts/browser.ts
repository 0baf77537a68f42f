import { existsSync } from 'node:fs'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path))
const QUIET = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** In one process, closing a page now and then ends the whole browser. */
const LAMBDA_ONLY = ['--single-process', '--no-zygote', '--in-process-gpu']

/** An installed Chromium, or the one that the package `@sparticuz/chromium` carries. */
export const launch = async (): Promise<Browser> => chromium.launch(INSTALLED ? installed(INSTALLED) : await packaged())

/** Run by vitest before the tests: workers that unpack the browser at the same time would run one that is not whole. */
export async function setup(): Promise<void> {
  if (!INSTALLED) await packaged()
}

const installed = (executablePath: string): LaunchOptions => ({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', ...QUIET],
})

async function packaged(): Promise<LaunchOptions> {
  const before = { ...process.env }
  // The package unpacks the libraries that a bare machine lacks only where it believes to be in a Lambda.
  process.env.AWS_LAMBDA_JS_RUNTIME = 'nodejs22.x'
  try {
    const { default: carried } = await import('@sparticuz/chromium')
    const executablePath = await carried.executablePath()
    const args = [...carried.args.filter((arg) => !LAMBDA_ONLY.includes(arg)), ...QUIET]
    return { executablePath, args, env: { ...process.env } as Record<string, string> }
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
  }
}
