/** @type {import('./context.js').Rule} */
export default (url, _, { documentInventory }) => {
  const segmentOf = (/** @type {unknown} */ each) => /\/v\d+$/.exec(String(each))?.[0]
  const segment = segmentOf(documentInventory.resolved.servers[0].url)
  if (segment && segmentOf(url) === segment) return []
  const message = `The URL "${url}" does not end with ${segment ?? 'a version segment, such as /v and a number'}, like the others. Give each major version its own contract.`
  return [{ message }]
}
