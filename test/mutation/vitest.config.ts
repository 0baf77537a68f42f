import { defineConfig } from 'vitest/config'

/** The tests that have to notice a change of the client. The size of its bundle says nothing about what it does. */
export default defineConfig({
  test: {
    include: ['test/client/*.test.ts'],
    exclude: ['test/client/size.test.ts'],
    testTimeout: 20_000,
  },
})
