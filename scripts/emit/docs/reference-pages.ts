import { slug } from '../../../site/slug.js'
import { frontMatter } from '../text.js'
import { type PackageEntry, REFERENCE } from './entries.js'
import type { Guide } from './guides.js'
import { withPrograms } from './programs.js'

/** The pages of the package's entries: the guide's section about each, then every export. */
export function referencePages(
  entries: PackageEntry[],
  reference: Map<string, string>,
  guide: Guide,
): [string, string][] {
  const sections = new Map(
    withPrograms(guide.name, guide.text)
      .split(/^## /m)
      .map((each) => {
        const [heading = '', ...lines] = each.split('\n')
        // The pages lie in another folder than the guide.
        const text = lines.join('\n').replaceAll(/\]\((?=[\w-]+\.md)/g, '](../guides/')
        return [heading.replaceAll('`', '').trim(), text.trim()]
      }),
  )
  return entries.map(({ name, page }) => {
    const settings = { title: name, outline: [2, 5], pageClass: REFERENCE }
    return [
      `${REFERENCE}/${page}.md`,
      `${frontMatter(settings)}# ${name.replaceAll('/', '/<wbr>')}\n\n${sections.get(name) ?? ''}\n\n${reference.get(page) ?? ''}`,
    ]
  })
}

/** Links the headings of the guide to the pages of the entries. */
export const withReferenceLinks = (text: string, entries: PackageEntry[]): string =>
  entries.reduce(
    (linked, { name, label, page }) =>
      linked.replace(
        `## \`${name}\`\n`,
        `## \`${label}\` {#${slug(name)}}\n\n[All exports of \`${name}\`](../${REFERENCE}/${page}.md)\n`,
      ),
    text,
  )
