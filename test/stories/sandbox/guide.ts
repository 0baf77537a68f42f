import { readFileSync } from 'node:fs'

/** The code of the guide, in the given language, by the heading that it stands under; before the first, by that of the page. */
export function recipes(language: 'ts' | 'bash'): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const guide = readFileSync(new URL(`../../../docs/guides/testing.md`, import.meta.url), 'utf8')
  for (const section of guide.split(/^#{1,3} /m).slice(1)) {
    const heading = section.slice(0, section.indexOf('\n'))
    const blocks = [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, code]) =>
      name === language ? [code ?? ''] : [],
    )
    if (blocks.length > 0) found.set(heading, blocks)
  }
  return found
}
