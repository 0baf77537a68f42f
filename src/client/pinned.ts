/**
 * The types of the frozen releases by date. In the package they are those of `@workflow-automation/contract-releases`
 * when that is installed (`scripts/emit/pinned.ts`), and none otherwise.
 */
// biome-ignore lint/suspicious/noEmptyInterface: The build replaces it.
export interface FrozenReleases {}

/** What the types of a release consist of. */
interface FrozenRelease {
  /** The client over the document of the release. */
  client: object
  /** The same, where each call names the release. */
  calls: object
  /** The operations by path and method. */
  paths: object
}

type Dates = keyof FrozenReleases
type Part<Date extends Dates, Name extends keyof FrozenRelease> =
  FrozenReleases[Date] extends Record<Name, infer Found> ? Found : never

/** The calls of any release: `getRun(id, { serviceVersion: '<date>' })` has the types of that release. */
type PinnedCalls = [Dates] extends [never] ? unknown : Intersection<{ [Date in Dates]: Part<Date, 'calls'> }[Dates]>

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/**
 * The client of a release, or of the newest when no release is named or its types are not installed. A call that names
 * a release has the types of that one.
 */
export type ClientOf<Version, Newest> = PinnedCalls &
  ([Version] extends [never] ? Newest : [Version] extends [Dates] ? Part<Version, 'client'> : Newest)

/** The methods of a client of a release, with options that name the release. */
export type CallsOf<Methods, Pin> = {
  [Name in keyof Methods]: Methods[Name] extends (...args: infer Args) => infer Result
    ? (...args: WithPin<Required<Args>, Pin>) => Result
    : never
}

type WithPin<Args, Pin> = Args extends [...infer Before, infer Options] ? [...Before, Options & Pin] : never

/** The operations by path and method of the release that the options of a call name, or the newest. */
export type PathsOf<Options, Newest> = Options extends { serviceVersion: infer Version extends Dates }
  ? Part<Version, 'paths'>
  : Newest
