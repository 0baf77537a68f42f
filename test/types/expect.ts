/** Compiles only when both types are the same. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Says at compile time that something is so. */
export const assertTrue = <_T extends true>(): void => {}
