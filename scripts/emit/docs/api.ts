import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { ICON, MARK } from '../../../site/mark.js'
import { withPolicy } from '../../../site/policy.js'
import type { Json } from '../../contract/index.js'
import { run } from '../../support/process.js'
import { SAMPLE_LANGUAGES } from './parts/samples.js'

/** The page that Redoc makes of a document, with the header of the site. It requests nothing remote; its policy enforces that. */
export async function emitApi(document: Json, root: string, folder: string, page: string, signal: AbortSignal) {
  const input = join(folder, 'api-input.json')
  const options = join(folder, 'api-options.json')
  const template = join(root, 'site/api/page.hbs')
  await mkdir(dirname(page), { recursive: true })
  await writeFile(input, JSON.stringify(document))
  await writeFile(options, JSON.stringify(REDOC_OPTIONS))
  await run(
    'redocly',
    ['build-docs', input, '--inlineBundle', '--openapi', options, '--template', template, '--output', page],
    { cwd: root, signal },
  )
  const styles = ['site/colors.css', 'site/api/style.css'].map((file) => readFile(join(root, file), 'utf8'))
  const theme = (await Promise.all(styles)).join('')
  const script = await bundled(join(root, 'site/api/page.ts'))
  await writeFile(page, finishPage(await readFile(page, 'utf8'), theme, script))
}

/** The script of the page, to stand in it. */
async function bundled(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    target: 'es2022',
  })
  return outputFiles[0]?.text.trim() ?? ''
}

const REDOC_OPTIONS = {
  // The overview has them in one line.
  hideDownloadButtons: true,
  codeSamples: { languages: SAMPLE_LANGUAGES },
  hideSchemaTitles: true,
  jsonSamplesExpandLevel: 'all',
  schemasExpansionLevel: 1,
  sortRequiredPropsFirst: true,
}

const EMPTY_IMAGE = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='

function finishPage(html: string, theme: string, script: string): string {
  // Redoc fetches its logo from a CDN; the theme writes its name instead.
  const local = html.replaceAll(/https:\/\/cdn\.redoc\.ly\/redoc\/logo-[a-z-]+\.svg/g, EMPTY_IMAGE)
  // Redoc writes paths before its router is there and keeps them when it is; the router knows them as fragments.
  const end = local.indexOf('<script type="module">')
  // Redoc escapes each "<" of the document, which takes 40 kB; only these begin something in a script.
  const scripts = local.slice(end).replaceAll(/\\u003c(?!\/?script|!--)/gi, '<')
  // The notes of Redoc's theme for its editor take 50 kB.
  const notes = /\s*(?:\/\/ @(?:presenter|tokens) \w+|\/\*\*\s+\* @tokens [^`]*?\*\/)/g
  const body = local.slice(0, end).replaceAll('href="/', 'href="#/') + scripts.replaceAll(notes, '')
  const page = body.replace('/* page.ts */', () => script)
  const marked = page.replace('/* icon */', ICON).replace('/* mark */', MARK)
  return withPolicy(marked.replace('/* style.css */', () => theme))
}
