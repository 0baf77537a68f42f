import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Contract } from '../../contract/index.js'
import { run } from '../../process.js'
import { emitJson, emitYaml } from '../openapi.js'
import { withColours } from './code.js'
import { documentForReaders } from './document.js'
import { readGuides } from './guides.js'
import { emitLlms } from './llms.js'
import { finishPage } from './page.js'
import { SAMPLE_LANGUAGES } from './samples.js'

/**
 * The documentation site: one page that needs no network, the contract for download, and the whole as plain Markdown
 * for language models.
 *
 * @throws BuildError when a guide is missing or leads nowhere
 */
export async function emitDocs(
  contract: Contract,
  root: string,
  staged: string,
  out: string,
  signal: AbortSignal,
): Promise<void> {
  const guides = await readGuides(root, contract)
  await mkdir(out, { recursive: true })
  const input = join(staged, 'docs-input.json')
  const options = join(staged, 'docs-options.json')
  const page = join(out, 'index.html')
  await Promise.all([
    writeFile(input, JSON.stringify(documentForReaders(contract, await withColours(guides)))),
    writeFile(options, JSON.stringify(REDOC_OPTIONS)),
    writeFile(join(out, 'openapi.yaml'), emitYaml(contract)),
    writeFile(join(out, 'openapi.json'), emitJson(contract)),
    writeFile(join(out, 'llms.txt'), emitLlms(contract, guides)),
  ])
  await run(
    'redocly',
    ['build-docs', input, '--inlineBundle', '--openapi', options, '--template', TEMPLATE, '--output', page],
    { cwd: root, signal },
  )
  await writeFile(page, finishPage(await readFile(page, 'utf8'), await readFile(THEME, 'utf8')))
}

const TEMPLATE = join(import.meta.dirname, 'page.hbs')
const THEME = join(import.meta.dirname, 'theme.css')

const REDOC_OPTIONS = {
  downloadUrls: ['openapi.yaml', 'openapi.json', 'llms.txt'].map((file) => ({ title: file, url: file })),
  codeSamples: { languages: SAMPLE_LANGUAGES },
  hideSchemaTitles: true,
  jsonSamplesExpandLevel: 'all',
  schemasExpansionLevel: 1,
  sortRequiredPropsFirst: true,
}
