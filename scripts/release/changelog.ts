const HEADING = '## Unreleased\n'
const UNRELEASED = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m

/**
 * The changelog's section "Unreleased": Markdown that becomes the next release's section.
 *
 * @throws Error when there is none
 */
export function unreleasedNotes(changelog: string): string {
  const section = UNRELEASED.exec(changelog)
  if (section) return section[1]?.trim() ?? ''
  throw new Error('CHANGELOG.md has no line "## Unreleased". Write it above the notes of the next release.')
}

/** The changelog with what was unreleased as the section of a version, below an "Unreleased" that is empty again. */
export function withRelease(changelog: string, version: string, date: string): string {
  const notes = unreleasedNotes(changelog) || 'Nothing that users notice has changed.'
  const section = `${HEADING}\n## ${version} - ${date}\n\n${notes}\n\n`
  return changelog.replace(UNRELEASED, () => section)
}
