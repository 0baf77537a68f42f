/** What the search box of VitePress lacks for screen readers. */
const CHANGES: [found: RegExp, by: string][] = [
  // A name needs a role.
  [/<kbd :aria-label=/g, '<kbd role="img" :aria-label='],
  [
    /role="button"\s+:aria-owns="[^"]+"\s+aria-expanded="true"\s+aria-haspopup="listbox"/,
    'role="dialog" aria-modal="true"',
  ],
  // The link is the option of the list: it cannot be followed inside an option.
  [/\s(:id="'localsearch-item-' \+ index"\s+:aria-selected="[^"]+"\s+role="option")/, ' role="presentation"'],
  [
    /:aria-label="\[\.\.\.p\.titles, p\.title\]\.join\(' > '\)"/,
    `:id="'localsearch-item-' + index" :aria-selected="selectedIndex === index" role="option"`,
  ],
]

/** A plugin of Vite that changes it, and throws if VitePress no longer has what it changes. */
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
