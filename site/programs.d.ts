/** A guide's code. `reach` is called before each block, and ends the program by returning true. */
export type Program = (
  console: Pick<Console, 'log' | 'info' | 'warn' | 'error'>,
  reach: (block: number) => boolean,
) => Promise<void>

/** By the name of the guide; the build writes this module. */
export const programs: Readonly<Record<string, Program>>
