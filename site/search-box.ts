/** What changes in the search box of VitePress, and by what it is replaced. */
const CHANGES: [found: RegExp, by: string][] = [
  // The order of the hits is that of site/theme/search.ts.
  [/index\.search\(filterTextValue\)\.slice\(0, 16\)/, 'theme.value.search.options.find(index, filterTextValue)'],
  // Each hit has a line of text, which is always shown.
  [/map\?\.get\(anchor\) \?\? ""/, 'r.excerpt'],
  [/<div v-if="showDetailedList" class="excerpt-wrapper">/, '<div class="excerpt-wrapper">'],
  // The pages of Redoc are not those of this application.
  [/:href="withBase\(p\.id\)"/, `$& :target="p.id.startsWith('/api/') ? '_self' : undefined"`],
  [/router\.go\(withBase\(selectedPackage\.id\)\)/, "document.querySelector('.result.selected').click()"],
  // The kind of the page is shown beside its title.
  [/(v-html="p\.title" \/>\s*<\/span>)/, '$1<span class="kind">{{ p.kind }}</span>'],
  // A name needs a role.
  [/<kbd :aria-label=/g, '<kbd role="img" :aria-label='],
  // The box is a dialog, not a button.
  [
    /role="button"\s+:aria-owns="[^"]+"\s+aria-expanded="true"\s+aria-haspopup="listbox"/,
    'role="dialog" aria-modal="true"',
  ],
  // The link is the option of the list: screen readers cannot follow one that is inside an option.
  [
    /\s:id="'localsearch-item-' \+ index"\s+:aria-selected="selectedIndex === index \? 'true' : 'false'"\s+role="option"/,
    ' role="presentation"',
  ],
  [
    /:aria-label="\[\.\.\.p\.titles, p\.title\]\.join\(' > '\)"/,
    `:id="'localsearch-item-' + index" :aria-selected="selectedIndex === index ? 'true' : 'false'" role="option"`,
  ],
]

/** A plugin of Vite that changes the search box of VitePress, and throws if VitePress no longer has what it changes. */
export const searchBox = () => ({
  name: 'search-box',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    if (!id.endsWith('VPLocalSearchBox.vue')) return undefined
    return CHANGES.reduce((text, [found, by]) => {
      if (!found.test(text)) throw new Error(`VitePress has changed its search box (${found}): see site/search-box.ts.`)
      return text.replace(found, by)
    }, code)
  },
})
