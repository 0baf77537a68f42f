/**
 * Escapes, as JSON does, what steers a terminal or a page or hides in a text: control, bidirectional and invisible characters.
 * Line breaks and tabs stay, and U+200C and U+200D, which join letters and emoji.
 */
export const escapeHidden = (text: string): string =>
  text.replaceAll(/(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  )

/** A value as one line of text that is safe to show; anything but a string is shown as its JSON. */
export const clean = (value: unknown): string =>
  escapeHidden((typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replaceAll(LINE_BREAKS, ' '))

const LINE_BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g
