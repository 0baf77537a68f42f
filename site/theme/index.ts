import type { EnhanceAppContext, Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { nextTick, toRaw } from 'vue'
import { loadOnClick } from '../load.js'
import { RegisterFilter } from './register-filter.js'
import { openSearch, prepareSearch } from './search.js'
import './style.css'

/** Opens the part of a page that a link leads to. */
function openFold(hash: string): void {
  const target = hash ? document.getElementById(decodeURIComponent(hash.slice(1))) : null
  const fold = target?.closest('.export')?.querySelector('details') ?? target?.closest('details')
  if (!fold || fold.open) return
  fold.open = true
  target?.scrollIntoView()
}

export default {
  extends: DefaultTheme,
  enhanceApp({ app, siteData, router }: EnhanceAppContext) {
    app.component('RegisterFilter', RegisterFilter)
    // What pages see of it cannot be changed.
    prepareSearch(toRaw(siteData.value).themeConfig)
    if (typeof document === 'undefined') return
    loadOnClick(siteData.value.base)
    router.onAfterRouteChange = async () => {
      await nextTick()
      document.querySelector('.VPSidebarItem.is-active.is-link')?.scrollIntoView({ block: 'nearest' })
      openFold(location.hash)
    }
    addEventListener('hashchange', () => openFold(location.hash))
    // The API reference has no search of the guides: its button leads here.
    if (location.hash === '#search') openSearch()
  },
} satisfies Theme
