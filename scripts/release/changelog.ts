const HEADING = '## Unreleased\n'
const UNRELEASED = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m

/** The changelog's section "Unreleased": Markdown that becomes the next release's section. */
export const unreleasedNotes = (changelog: string): string => UNRELEASED.exec(changelog)?.[1]?.trim() ?? ''

/** The changelog with what was unreleased as the section of a version, below an "Unreleased" that is empty again. */
export function withRelease(changelog: string, version: string, date: string): string {
  const notes = unreleasedNotes(changelog) || 'Nothing that users notice has changed.'
  const section = `${HEADING}\n## ${version} - ${date}\n\n${notes}\n\n`
  return changelog.replace(UNRELEASED, () => section)
}
