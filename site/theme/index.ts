import type { EnhanceAppContext, Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { toRaw } from 'vue'
import { loadOnClick } from '../load.js'
import { RegisterFilter } from './register-filter.js'
import { openSearch, prepareSearch } from './search.js'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app, siteData }: EnhanceAppContext) {
    app.component('RegisterFilter', RegisterFilter)
    // What pages see of it cannot be changed.
    prepareSearch(toRaw(siteData.value).themeConfig)
    if (typeof document === 'undefined') return
    loadOnClick(siteData.value.base)
    // The API reference has no search of the guides: its button leads here.
    if (location.hash === '#search') openSearch()
  },
} satisfies Theme
