import type { BasisEntry, Contract } from '../../contract/index.js'

/** Where the entry of the register is in the page: in the section of its kind. */
export const basisLink = (register: Pick<BasisEntry, 'id' | 'kind'>[], id: string): string =>
  `#/basis/${register.find((entry) => entry.id === id)?.kind}#${id.toLowerCase()}`

/** Where an operation is in the page; undefined for an unknown id. */
export function operationLink({ operations }: Contract, id: string): string | undefined {
  const operation = operations.find((each) => each.id === id)
  return operation && `#/${slug(operation.node.tags[0])}/${slug(id)}`
}

/** The last part of a link to a heading, as Redoc makes it. */
export const slug = (heading: string): string =>
  heading
    .replaceAll(/[`*]/g, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(/[\s-]+/g, '-')

/**
 * Links each id of the register that is not in code or in a link already to its entry, and sets what a description rests
 * on apart from what it says: the basis in small print, an assumption as a quotation.
 */
export function withBasisLinks(text: string, register: BasisEntry[]): string {
  const ids = new Set(register.map(({ id }) => id))
  return outsideCode(text, (prose) =>
    prose
      .replaceAll(
        /<figure[\s\S]*?<\/figure>|<div class="entry"[\s\S]*?<\/div>|\[[^\]]*\]\([^)]*\)|<[^>]*>|\b[A-Z]\d{2}\b/g,
        (match) => (ids.has(match) ? `[${match}](${basisLink(register, match)})` : match),
      )
      .replaceAll(/^Basis: .*$/gm, '<small>$&</small>')
      .replaceAll(/^Assumed (\(.*)$/gm, '> **Assumed** $1'),
  )
}

/** Changes the prose of Markdown and leaves its code alone. */
export const outsideCode = (text: string, change: (prose: string) => string): string =>
  text
    .split(/(^```[\s\S]*?^```$|`[^`\n]+`)/m)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('')
