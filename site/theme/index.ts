import { type EnhanceAppContext, type Theme, withBase } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { nextTick, toRaw } from 'vue'
import { loadOnClick } from '../load.js'
import { followSidebar, isWithinReference, showReference } from './reference.js'
import { RegisterFilter } from './register-filter.js'
import { prepareSearch, referenceOf } from './search.js'
import './style.css'
import './api.css'

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
    loadOnClick(siteData.value.base, siteData.value.themeConfig.scripts)
    followSidebar()
    const { operations } = siteData.value.themeConfig.search.options
    router.onBeforeRouteChange = (to) => {
      const reference = referenceOf(to, operations)
      if (reference) void router.go(withBase(reference))
      return !reference
    }
    router.onBeforePageLoad = (to) => !isWithinReference(router.route.path, to)
    router.onAfterRouteChange = async () => {
      await nextTick()
      const { script } = router.route.data.frontmatter
      showReference(script && `${siteData.value.base}${script.slice(1)}`)
      document.querySelector('.VPSidebarItem.is-active.is-link')?.scrollIntoView({ block: 'nearest' })
      openFold(location.hash)
    }
    addEventListener('hashchange', () => openFold(location.hash))
  },
} satisfies Theme
