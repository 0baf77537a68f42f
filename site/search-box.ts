const FILE = 'VPLocalSearchBox.vue'

/** What changes in the search box of VitePress, and why. */
const CHANGES: { purpose: string; found: RegExp; by: string }[] = [
  {
    purpose: 'The order of the hits is that of site/theme/search.ts.',
    found: /index\.search\(filterTextValue\)\.slice\(0, 16\)/,
    by: 'theme.value.search.options.find(index, filterTextValue)',
  },
  {
    purpose: 'Each hit has a line of text, even without the detailed list.',
    found: /map\?\.get\(anchor\) \?\? ""/,
    by: 'r.excerpt',
  },
  {
    purpose: 'That line is always shown.',
    found: /<div v-if="showDetailedList" class="excerpt-w/,
    by: '<div class="excerpt-w',
  },
  {
    purpose: 'The kind of the page is shown beside its title.',
    found: /(v-html="p\.title" \/>\s*<\/span>)/,
    by: '$1<span class="kind">{{ p.kind }}</span>',
  },
  { purpose: 'A name needs a role.', found: /<kbd :aria-label=/g, by: '<kbd role="img" :aria-label=' },
  {
    purpose: 'The box is a dialog, not a button.',
    found: /role="button"\s+:aria-owns="[^"]+"\s+aria-expanded="true"\s+aria-haspopup="listbox"/,
    by: 'role="dialog" aria-modal="true"',
  },
  {
    purpose: 'An item of the list is not the option, because a screen reader cannot follow a link inside an option.',
    found:
      /\s:id="'localsearch-item-' \+ index"\s+:aria-selected="selectedIndex === index \? 'true' : 'false'"\s+role="option"/,
    by: ' role="presentation"',
  },
  {
    purpose: 'The link itself is the option.',
    found: /:aria-label="\[\.\.\.p\.titles, p\.title\]\.join\(' > '\)"/,
    by: `:id="'localsearch-item-' + index" :aria-selected="selectedIndex === index ? 'true' : 'false'" role="option"`,
  },
]

/** A plugin of Vite that changes the search box of VitePress. It throws if VitePress no longer has what it changes. */
export const searchBox = () => ({
  name: 'search-box',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    if (!id.endsWith(FILE)) return undefined
    return CHANGES.reduce((text, { purpose, found, by }) => {
      if (!found.test(text)) throw new Error(`VitePress has changed its search: see site/search-box.ts. ${purpose}`)
      return text.replace(found, by)
    }, code)
  },
})
