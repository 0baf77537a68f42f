import type { BasisEntry } from '../../contract/index.js'

// The pages lie in one folder, on the site as in the package, and link to each other as files.

/** The page of the register. */
export const REGISTER = 'register'

/** The page that has every operation as text. */
export const OPERATIONS = 'operations'

export const basisLink = (id: string): string => `${REGISTER}.md#${id.toLowerCase()}`

/** Links each id of the register that is not in code, in a heading or in a link already to its entry. */
export function withBasisLinks(text: string, register: BasisEntry[]): string {
  const ids = new Set(register.map(({ id }) => id))
  return outsideCode(text, (prose) =>
    prose.replaceAll(/^#+ .*$|<figure[\s\S]*?<\/figure>|\[[^\]]*\]\([^)]*\)|<[^>]*>|\b[A-Z]\d{2}\b/gm, (match) =>
      ids.has(match) ? `[${match}](${basisLink(match)})` : match,
    ),
  )
}

/** Changes the prose of Markdown and leaves its code alone. */
export const outsideCode = (text: string, change: (prose: string) => string): string =>
  text
    .split(/(^ *```[\s\S]*?^ *```$|`[^`\n]+`)/m)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('')
