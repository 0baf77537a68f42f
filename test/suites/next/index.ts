/**
 * Builds a page that waits for a run with Next 14 and with Next 16 and its Cache Components, and visits it.
 *
 *     npm run suite -- next
 *
 * The client is made as the guide "In production" says. What is installed stays in `.matrix/`.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import getPort from 'get-port'
import { packTarball } from '../../../scripts/pack.js'
import { createClient } from '../../../src/index.js'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { listen } from '../../../src/tools/sandbox/port/index.js'
import { finish, repository } from '../../support/project.js'
import MAJORS from '../matrix/majors.json' with { type: 'json' }

const VERSIONS = {
  'Next 14': { dependencies: { next: MAJORS.next['14'], react: '18.3.1', 'react-dom': '18.3.1' }, config: {} },
  'Next 16': {
    dependencies: { next: MAJORS.next['16'], react: '19.3.1', 'react-dom': '19.3.1' },
    config: { cacheComponents: true },
  },
}

const LAYOUT =
  'export default function Layout({ children }) {\n  return <html lang="en"><body>{children}</body></html>\n}\n'

const page = (fetchOption: string) => `import { createClient } from '@workflow-automation/contract'
import { Suspense } from 'react'

async function Status() {
  const { BASE_URL: baseUrl, API_KEY: apiKey, RUN } = process.env
  const polling = { minInterval: 50, maxInterval: 50 }
  const client = createClient({ baseUrl, apiKey, polling, ${fetchOption} })
  const { status } = await client.waitForRun(RUN, { timeout: 5_000 })
  return <p>The run {status}.</p>
}

export default function Page() {
  return <Suspense fallback={<p>…</p>}><Status /></Suspense>
}
`

interface Version {
  dependencies: Record<string, string>
  config: object
}

/** @returns what a visitor does not see, or undefined when all is there */
async function tryVersion(name: string, { dependencies, config }: Version): Promise<string | undefined> {
  const folder = join(repository, '.matrix/next', name.replace(' ', '-'))
  await mkdir(join(folder, 'app'), { recursive: true })
  await rm(join(folder, '.next'), { recursive: true, force: true })
  const manifest = { name: 'page', private: true, type: 'module', dependencies }
  await packTarball(repository, folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  const installed = await finish('npm', ['install', ...quiet, './contract.tgz'], folder)
  if (installed.code !== 0) return installed.printed
  const guide = await readFile(join(repository, 'docs/guides/in-production.md'), 'utf8')
  const option = /\n {2}(fetch: \(url, init\) => fetch\(url, .*\)),\n/.exec(guide)?.[1] ?? ''
  await writeFile(join(folder, 'app/layout.js'), LAYOUT)
  await writeFile(join(folder, 'app/page.js'), page(option))
  // Turbopack would take the configuration of the repository above.
  await writeFile(join(folder, 'jsconfig.json'), '{}')
  await writeFile(join(folder, 'next.config.mjs'), `export default ${JSON.stringify(config)}\n`)
  const sandbox = createSandbox({ plan: false })
  const service = await listen(sandbox)
  const { id } = await createClient({
    ...{ baseUrl: service.baseUrl, apiKey: sandbox.keys.valid, plan: false },
  }).triggerRun(sandbox.playbooks.succeeds, { inputs: { order: '42' } })
  const own = { BASE_URL: service.baseUrl, API_KEY: sandbox.keys.valid, RUN: id, NEXT_TELEMETRY_DISABLED: '1' }
  const next = join(folder, 'node_modules/next/dist/bin/next')
  if (!existsSync(next)) return 'Next is not installed.'
  try {
    const built = await finish(process.execPath, [next, 'build'], folder, own)
    if (built.code !== 0) return built.printed
    return await visit(next, folder, own)
  } finally {
    await service.close()
  }
}

async function visit(next: string, folder: string, own: Record<string, string>): Promise<string | undefined> {
  const port = await getPort()
  const address = `http://127.0.0.1:${port}`
  const server = spawn(process.execPath, [next, 'start', '-H', '127.0.0.1', '-p', `${port}`], {
    ...{ cwd: folder, env: { ...process.env, ...own }, stdio: 'ignore' },
  })
  try {
    for (const end = Date.now() + 30_000; Date.now() < end; ) {
      if (await fetch(`${address}/favicon.ico`).catch(() => undefined)) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const text = await (await fetch(address)).text()
    return /The run (<!-- -->)?succeeded/.test(text) ? undefined : text
  } finally {
    server.kill()
  }
}

for (const [name, version] of Object.entries(VERSIONS)) {
  const problem = await tryVersion(name, version).catch(String)
  process.stdout.write(problem === undefined ? `${name}: passed\n` : `${name}: failed\n${problem}\n`)
  if (problem !== undefined) process.exitCode = 1
}
