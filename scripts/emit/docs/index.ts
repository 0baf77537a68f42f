import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withBasis } from '../../contract/decorate.js'
import type { Contract } from '../../contract/index.js'
import { emitDocuments } from '../openapi.js'
import { colourCode } from './code.js'
import { documentForReaders } from './document.js'
import { readGuides } from './guides.js'
import { emitLlms } from './llms.js'
import { emitPage } from './page.js'
import { emitPrint } from './print.js'
import { readSections, type Section } from './sections.js'

/**
 * The documentation site: one page that needs no network, the whole once more as a page for paper and as plain Markdown
 * for language models, and the contract for download. Resolves to what the search finds in it.
 *
 * @throws BuildError when a guide is missing or leads nowhere
 */
export async function emitDocs(
  contract: Contract,
  root: string,
  staged: string,
  out: string,
  signal: AbortSignal,
): Promise<Section[]> {
  const explained = withBasis(contract)
  const guides = await readGuides(root, explained)
  const document = documentForReaders(explained, guides)
  await colourCode(guides.start.name, document.info)
  for (const tag of document.tags) await colourCode(tag.name, tag)
  await mkdir(out, { recursive: true })
  for (const [file, text] of Object.entries(emitDocuments(contract))) await writeFile(join(out, file), text)
  const markdown = emitLlms(explained, guides)
  await writeFile(join(out, 'llms.txt'), markdown)
  await emitPrint(markdown, root, join(out, 'print.html'))
  await emitPage(document, root, staged, join(out, 'index.html'), signal)
  return readSections(explained, guides)
}
