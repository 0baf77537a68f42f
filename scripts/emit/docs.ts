import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Contract } from '../contract.js'
import { run } from '../process.js'

/** The documentation site, one page that needs no network. */
export async function emitDocs(
  contract: Contract,
  root: string,
  staged: string,
  out: string,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(out, { recursive: true })
  const page = join(out, 'index.html')
  const input = join(staged, 'docs-input.json')
  await writeFile(input, JSON.stringify(contract.document))
  await run('redocly', ['build-docs', input, '--inlineBundle', '--output', page], { cwd: root, signal })
  await writeFile(page, withoutRemoteImages(await readFile(page, 'utf8')))
}

const EMPTY_IMAGE = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='

/** Redoc fetches its logo from a CDN; the page has to work without a network. */
const withoutRemoteImages = (html: string): string =>
  html.replaceAll(/https:\/\/cdn\.redoc\.ly\/[^"'\s)]*\.(?:svg|png)/g, EMPTY_IMAGE)
