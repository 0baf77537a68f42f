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

/** The notes of Redoc's theme for its editor, which take 50 kB. */
const NOTES = /\s*(?:\/\/ @(?:presenter|tokens) \w+|\/\*\*\s+\* @tokens [^`]*?\*\/)/g

function finishPage(html: string, theme: string, script: string): string {
  // Redoc fetches its logo from a CDN; the theme writes its name instead.
  const local = replaced(html, /https:\/\/cdn\.redoc\.ly\/redoc\/logo-[a-z-]+\.svg/g, EMPTY_IMAGE)
  const end = local.indexOf('<script type="module">')
  if (end === -1) throw new Error('The page of Redoc has no <script type="module">: see site/api/page.hbs.')
  // Redoc writes paths before its router is there and keeps them when it is; the router knows them as fragments.
  const before = replaced(local.slice(0, end), /href="\//g, 'href="#/')
  // Redoc escapes each "<" of the document, which takes 40 kB; only these begin something in a script.
  const scripts = replaced(local.slice(end), /\\u003c(?!\/?script|!--)/gi, '<')
  const page = before + replaced(scripts, NOTES, '')
  const withScript = replaced(page, /\/\* page\.ts \*\//, script)
  const marked = replaced(replaced(withScript, /\/\* icon \*\//, ICON), /\/\* mark \*\//, MARK)
  return withPolicy(replaced(marked, /\/\* style\.css \*\//, theme))
}

/** @throws Error when the page does not have what is replaced, as Redoc has changed */
function replaced(html: string, found: RegExp, by: string): string {
  if (html.search(found) === -1) throw new Error(`Redoc no longer writes ${found}: see scripts/emit/docs/api.ts.`)
  return html.replace(found, () => by)
}
