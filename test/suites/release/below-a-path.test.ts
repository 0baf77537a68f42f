import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openSite, type Site } from '../../stories/site/site.js'
import { copyProject, type Project } from '../../support/project.js'

let project: Project
let site: Site
beforeAll(async () => {
  project = copyProject()
  vi.stubEnv('SITE_BASE', '/contract/')
  expect(await project.build()).toMatchObject({ code: 0 })
  vi.unstubAllEnvs()
  site = await openSite(join(project.root, 'dist/docs'), '/contract/')
})
afterAll(async () => {
  await site?.close()
  project.remove()
})

test('a site below a path links the files of the contract and the operations where they are', async () => {
  const links: string[] = []
  for (const guide of ['other-languages', 'triggering-and-watching']) {
    const { page } = await site.open(`guides/${guide}.html`)
    const found = page.locator('.vp-doc a[href]')
    links.push(...(await found.evaluateAll((all) => all.map((each) => (each as HTMLAnchorElement).href))))
  }
  const own = links.filter((url) => new URL(url).origin === new URL(site.url).origin)
  for (const path of ['api/#', 'openapi']) expect(own.filter((url) => url.startsWith(site.url + path))).not.toEqual([])
  for (const url of new Set(own.map((each) => each.replace(/#.*/, ''))))
    expect((await fetch(url)).status, url).toBe(200)
})

test('a site below a path runs code, leads to the API reference and back to the search, and requests nothing outside', async () => {
  const { page, requests, complaints } = await site.open()
  await page.locator('[data-run]').first().click()
  await page.locator('output .request').first().waitFor()
  await page.getByRole('link', { name: 'Client' }).click()
  await page.waitForURL(`${site.url}guides/getting-started.html`)
  await page.locator('.VPNavBarMenu').getByRole('link', { name: 'API' }).click()
  await page.waitForURL(`${site.url}api/`)
  await page.goto(`${site.url}api/#/runs/getrun`)
  await page.locator('[data-try="getRun"]').click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.locator('#localsearch-input').waitFor()
  expect(requests.filter((url) => !url.startsWith(site.url) && !/^(data|blob):/.test(url))).toEqual([])
  expect(complaints).toEqual([])
})
