import type { Section } from '../scripts/emit/docs/sections.js'

/** What the search finds; the build writes this module. */
export const sections: readonly Section[]
