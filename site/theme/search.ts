/** Guides come first; the register, the changelog and the reference are for readers who look for a name. */
const WEIGHTS: [page: RegExp, weight: number][] = [
  [/^\/guides\/(?:register|changelog)/, 0.2],
  [/^\/guides\/operations/, 2],
  [/^\/guides\//, 1],
]
/** The weight of the reference of the package. */
const LEAST = 0.3

/** How the search of VitePress weighs what it finds: titles first, what has the name that was asked for, and a page before its parts. */
const OPTIONS = {
  combineWith: 'AND',
  prefix: true,
  // A typing error in a word of four letters; two letters that changed places, which count twice, in one of eight.
  fuzzy: (term: string) => (term.length >= 4 && !/\d/.test(term) ? 0.25 : false),
  weights: { fuzzy: 0.1, prefix: 0.5 },
  boost: { title: 4, titles: 2, text: 1 },
  boostDocument: (id: string, term: string, stored?: { title?: unknown }) => {
    const weight = (WEIGHTS.find(([page]) => page.test(id))?.[1] ?? LEAST) * (id.includes('#') ? 1 : 3)
    return `${stored?.title}`.toLowerCase().replace('()', '') === term ? 10 * weight : weight
  },
}

/** Gives them to the search. In site/config.ts they would be turned into text, which the policy of the pages forbids to run. */
export function prepareSearch({ search }: { search?: { options?: { miniSearch?: object } } }): void {
  Object.assign(search?.options?.miniSearch ?? {}, { searchOptions: OPTIONS })
}

/** Where a hit leads that is an operation: to its part of the API reference. */
export function referenceOf(href: string, operations: Readonly<Record<string, string>>): string | undefined {
  const route = operations[/\/guides\/operations\.html#(.+)$/.exec(href)?.[1] ?? '']
  return route && `/api/${route}`
}
