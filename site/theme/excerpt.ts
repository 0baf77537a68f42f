/** Marks a line of code in the text of a section, as the search has it. */
export const CODE = '\u2063'

/** The length of an excerpt, which CSS cuts at the end of its line. */
const LENGTH = 240
/** The length below which a line says little. */
const SCRAP = 40
/** How much text may stand before the word that was looked for. */
const BEFORE = 60

/** The line of a section that has most of the words, prose before code, from the sentence that has the first of them. */
export function excerptOf(text: string, starts: RegExp[]): string {
  const lines = text
    .split('\n')
    .map((line) => line.replaceAll(/[\s\u200b]+/g, ' ').trim())
    .filter((line) => line.length > 1)
  const score = (line: string) => {
    const found = starts.filter((start) => start.test(line)).length
    // One word may be a name, which is in code alone.
    if (line.startsWith(CODE)) return found === 1 && starts.length === 1 ? 0.5 : found - starts.length - 0.5
    return found && found + starts.length - (line.length < SCRAP ? 0.5 : 0)
  }
  const [best = ''] = lines.toSorted((a, b) => score(b) - score(a))
  const line = best.replaceAll(CODE, '')
  const at = Math.max(
    0,
    ...starts
      .map((start) => line.search(start))
      .filter((index) => index >= 0)
      .slice(0, 1),
  )
  const sentence = Math.max(...['. ', ': ', '; '].map((end) => line.lastIndexOf(end, at) + 2), 0)
  const from =
    at <= BEFORE ? 0 : at - sentence <= BEFORE && sentence > 1 ? sentence : line.indexOf(' ', at - BEFORE / 2) + 1
  return `${from > 0 ? '… ' : ''}${line.slice(from, from + LENGTH).replace(/&[#\w]*$/, '')}`
}
