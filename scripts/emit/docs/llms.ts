import type { Contract } from '../../contract/index.js'
import { type PackageEntry, REFERENCE } from './entries.js'
import type { Guides } from './guides.js'
import { OPERATIONS, outsideCode, REGISTER } from './links.js'
import { operationsText } from './parts/operations.js'

/** An index of the pages for language models, in the form of llms.txt; each page is also beside it as Markdown. */
export function emitLlms({ document }: Contract, { groups }: Guides, entries: PackageEntry[]): string {
  const { title, summary, version } = document.info
  return `${[
    `# ${title}`,
    `> ${summary} Version ${version} of the contract.`,
    [
      'Every page below is Markdown. All of them in one file: [llms-full.txt](llms-full.txt).',
      'The contract itself, for other tools: [openapi.plain.json](openapi.plain.json), [openapi.plain.yaml](openapi.plain.yaml);',
      'as OpenAPI 3.0: [openapi-3.0.json](openapi-3.0.json);',
      'annotated with the basis of each part: [openapi.yaml](openapi.yaml), [openapi.json](openapi.json).',
    ].join(' '),
    ...groups.flatMap(({ name, guides }) => [
      `## ${name}`,
      guides.map(({ name, title, summary }) => `- [${title}](guides/${name}.md): ${summary}`).join('\n'),
    ]),
    '## Package',
    entries.map(({ name, page }) => `- [${name}](${REFERENCE}/${page}.md)`).join('\n'),
  ].join('\n\n')}\n`
}

/** All pages in one file. */
export function emitLlmsFull(contract: Contract, { start, groups }: Guides): string {
  const { document } = contract
  const pages = groups.flatMap(({ guides }) => guides).filter(({ name }) => name !== OPERATIONS && name !== REGISTER)
  const register = groups.flatMap(({ guides }) => guides).find(({ name }) => name === REGISTER)
  return [
    `# ${document.info.title}`,
    `> ${document.info.summary} Version ${document.info.version} of the contract.`,
    plain(start.text),
    '# Operations',
    operationsText(contract),
    ...pages.map(({ title, text }) => `# ${title}\n\n${plain(text)}`),
    `# ${register?.title}\n\n${plain(register?.text ?? '')}\n`,
  ].join('\n\n')
}

/** Markdown in one file, where links to pages lead nowhere: links as their text. */
const plain = (text: string): string =>
  outsideCode(text, (prose) => prose.replaceAll(/\[([^\]]+)\]\([\w.-]+\.md[^)]*\)/g, '$1'))
