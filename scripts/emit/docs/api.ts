import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Json } from '../../contract/index.js'
import { run } from '../../support/process.js'
import { frontMatter } from '../text.js'
import { SAMPLE_LANGUAGES } from './parts/samples.js'

/** The page of the API reference, and the script that fills it: what `redocly build-docs` makes of the document. */
export async function emitApi(
  document: Json,
  { root, folder, signal }: { root: string; folder: string; signal: AbortSignal },
): Promise<Map<string, string>> {
  const [input, options, page] = ['api-input.json', 'api-options.json', 'api.html'].map((file) => join(folder, file))
  await writeFile(input!, JSON.stringify(document))
  await writeFile(options!, JSON.stringify(REDOC_OPTIONS))
  const args = ['build-docs', input!, '--inlineBundle', '--openapi', options!, '--output', page!]
  await run('redocly', args, { cwd: root, signal })
  const script = scriptOf(await readFile(page!, 'utf8')) + (await bundled(join(root, 'site/api/reference.ts')))
  const file = `api/redoc.${createHash('sha256').update(script).digest('hex').slice(0, 8)}.js`
  const { title, summary } = document.info
  const settings = {
    title,
    titleTemplate: false,
    description: summary,
    layout: 'page',
    pageClass: 'api',
    script: `/${file}`,
  }
  return new Map([
    ['api/index.md', `${frontMatter(settings)}${BODY}`],
    [`public/${file}`, script],
  ])
}

/** Links in it are followed by Redoc. */
const BODY = `<section class="visually-hidden" aria-labelledby="api-reference"><h1 id="api-reference">API reference</h1></section>

<noscript><p class="without-script">This page needs JavaScript. <a href="../guides/operations.html">Operations as text</a> has the same content without it.</p></noscript>

<div class="vp-raw"><div id="redoc"></div></div>
`

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

/** The module of Redoc's page, with the document, as a script that renders when it is asked to. */
function scriptOf(html: string): string {
  const [, code = ''] = /<script type="module">([\s\S]*?)<\/script>/.exec(html) ?? []
  const local = replaced(code, NOTES, '')
  // Redoc fetches its logo from a CDN; the theme writes its name instead.
  const alone = replaced(local, /https:\/\/cdn\.redoc\.ly\/redoc\/logo-[a-z-]+\.svg/g, EMPTY_IMAGE)
  // Only a module has it; in a page it is not reached.
  const classic = replaced(alone, /(?<!["'])\bimport\.meta\.(?:url|dirname)\b/g, '""')
  const inner = replaced(classic, /export\s*\{RedocStandalone,hydrate,init\};/, '')
  const render = 'globalThis.renderRedoc = (element) => init(__redoc_definition, __redoc_options, element)'
  return `(() => {${replaced(inner, /hydrate\(__redoc_definition, [^;]+;/, render)}})();\n`
}

/** @throws Error when the page does not have what is replaced, as Redoc has changed */
function replaced(html: string, found: RegExp, by: string): string {
  if (html.search(found) === -1) throw new Error(`Redoc no longer writes ${found}: see scripts/emit/docs/api.ts.`)
  return html.replace(found, () => by)
}

async function bundled(entry: string): Promise<string> {
  const options = { bundle: true, minify: true, write: false, target: 'es2022' } as const
  const { outputFiles } = await build({ entryPoints: [entry], ...options })
  return outputFiles[0]?.text ?? ''
}
