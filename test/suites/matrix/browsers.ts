import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { build } from 'esbuild'
import { launch } from '../../support/browser.js'
import { run } from './run.js'
import type { Outcome, Row, Site } from './runtimes.js'

/** Chromium, with the suite bundled by the two bundlers that most applications use. */
export const browserRows = (site: Site): Row[] => [
  { name: 'Chromium, bundled with esbuild', run: () => withBundle(site, bundleWithEsbuild) },
  { name: 'Chromium, bundled with Vite', run: () => withBundle(site, bundleWithVite) },
]

/** Makes one module of the suite, as for an application. */
export async function bundleEntry({ project }: Pick<Site, 'project'>, entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(project, 'suite', entry)],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

async function bundleWithEsbuild(site: Site): Promise<string> {
  const folder = join(site.project, 'esbuild')
  await mkdir(folder, { recursive: true })
  await copyFile(join(site.project, 'suite/index.html'), join(folder, 'index.html'))
  await writeFile(join(folder, 'page.js'), await bundleEntry(site, 'page.js'))
  return folder
}

async function bundleWithVite({ project, tools }: Site): Promise<string> {
  const folder = join(project, 'vite')
  const args = [join(tools, 'vite/bin/vite.js'), 'build', 'suite', '--outDir', folder, '--emptyOutDir', '--base', './']
  const { code, stdout, stderr } = await run(process.execPath, args, project)
  if (code !== 0) throw new Error(`Vite failed: ${stderr || stdout}`)
  return folder
}

async function withBundle(site: Site, bundle: (site: Site) => Promise<string>): Promise<Outcome> {
  const folder = await bundle(site)
  const files = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://page').pathname)
    readFile(join(folder, path)).then(
      (content) => response.setHeader('content-type', TYPES[extname(path)] ?? 'text/plain').end(content),
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
  const browser = await launch()
  try {
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    const { port } = files.address() as AddressInfo
    await page.goto(`http://127.0.0.1:${port}/index.html?server=${encodeURIComponent(site.server)}`)
    const text = await page
      .waitForFunction(() => globalThis.document.body.textContent?.trim(), undefined, { timeout: 60_000 })
      .then((handle) => handle.jsonValue())
      .catch((error) => Promise.reject(new Error([error.message, ...errors].join('\n'))))
    return JSON.parse(text as string) as Outcome
  } finally {
    await browser.close()
    files.close()
  }
}

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' }
