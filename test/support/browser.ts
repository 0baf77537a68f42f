import { existsSync } from 'node:fs'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path))
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A name that a page of another site has pointed at this machine.
  '--host-resolver-rules=MAP rebound.example 127.0.0.1',
]

/** An installed Chromium, or the one that the package `@sparticuz/chromium` carries. */
export const launch = async (): Promise<Browser> => chromium.launch({ args: ARGS, ...(await installed()) })

/** Where the browser is, and the environment that it needs. */
export const installed = async (): Promise<LaunchOptions> =>
  INSTALLED ? { executablePath: INSTALLED } : await packaged()

/** Run by vitest before the tests: workers that unpack the browser at the same time would run one that is not whole. */
export async function setup(): Promise<void> {
  if (!INSTALLED) await packaged()
}

/** Without the arguments that the package has for it: they turn off what keeps sites apart, and draw as if with a GPU. */
async function packaged(): Promise<LaunchOptions> {
  const before = { ...process.env }
  // The package unpacks the libraries that a bare machine lacks only where it believes to be in a Lambda.
  process.env.AWS_LAMBDA_JS_RUNTIME = 'nodejs22.x'
  try {
    const { default: carried } = await import('@sparticuz/chromium')
    const executablePath = await carried.executablePath()
    const env = { ...process.env } as Record<string, string>
    // The package brings one font, which is not for code. A machine that has fonts shows pages as readers see them.
    if (existsSync('/usr/share/fonts')) delete env.FONTCONFIG_PATH
    return { executablePath, env }
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
  }
}
