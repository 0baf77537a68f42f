import { afterEach, beforeEach, expect } from 'vitest'
import { copyProject, type Project } from '../support/project.js'

/** A copy of the project for every test of the file. Whatever the test does, it has to leave `generated/` as it was. */
export function untouchedProject(): () => Project {
  let project: Project
  let before: Record<string, string>
  beforeEach(() => {
    project = copyProject()
    before = project.generated()
  })
  afterEach(() => {
    expect(project.generated(), 'generated/ has changed').toEqual(before)
    project.remove()
  })
  return () => project
}
