import { marked } from 'marked'
import type { Contract } from '../../contract/index.js'
import type { Guide, Guides } from './guides.js'
import { basisLink, operationLink, slug } from './links.js'
import { operationText } from './llms.js'
import { REGISTER_PAGE } from './register.js'

/** A part of the documentation that the search finds. */
export interface Section {
  /** The page that it is on. */
  page: string
  title: string
  /** Its link in the page. */
  href: string
  /** Plain text. */
  text: string
}

/** The operations, the headings of the guides and the entries of the register, in the order of the navigation. */
export function readSections(contract: Contract, { start, groups }: Guides): Section[] {
  const guides = groups.flatMap(({ guides }) => guides).filter(({ name }) => name !== REGISTER_PAGE)
  return [
    ...contract.operations.map((operation) => ({
      page: `${operation.method} ${operation.path}`,
      title: operation.node.summary,
      href: operationLink(contract, operation.id) ?? '',
      text: plainText(operationText(contract, operation)),
    })),
    ...guideSections(start, '#/', '#/section/'),
    ...guides.flatMap((guide) => guideSections(guide, `#/${guide.name}`, `#/${guide.name}/`)),
    ...contract.register.map(({ id, kind, text, question = '', because = '' }) => ({
      page: `Register, ${kind}`,
      title: id,
      href: basisLink(contract.register, id),
      text: [question, text, because].join(' '),
    })),
  ]
}

/** A guide by its headings of the second level; the first section is what stands before them. */
function guideSections({ title, text }: Guide, href: string, below: string): Section[] {
  const [opening = '', ...parts] = text.split(/^## (?=.)/m)
  const sections = parts.map((part) => {
    const [heading = '', ...lines] = part.split('\n')
    return {
      page: title,
      title: plainText(heading),
      href: below + slug(heading),
      text: plainText(lines.join('\n')),
    }
  })
  return [{ page: title, title, href, text: plainText(opening) }, ...sections]
}

/** Markdown as text, with a space where a tag stood, so that no words are glued together. */
const plainText = (markdown: string): string =>
  marked
    .parse(markdown, { async: false })
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(lt|gt|quot|amp|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" }
