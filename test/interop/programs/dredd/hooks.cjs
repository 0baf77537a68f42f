// The requests of the document succeed; its errors need requests that it does not describe.
const hooks = require('hooks')

hooks.beforeEach((transaction, done) => {
  transaction.skip = !transaction.expected.statusCode.startsWith('2')
  done()
})
