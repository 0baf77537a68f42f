/** A value as text for a terminal. Control characters become spaces. */
export const withoutControls = (value: unknown): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those of a terminal are what is replaced
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')

/** The message of anything thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
