import Module from 'node:module'

/** Makes what the whole test run shares. Workers and tests find it by TEST_POSTGRES_URL and TEST_EMBEDDED_DATABASE. */
export default async function globalSetup(): Promise<void> {
  findSourcesOfJsNames()
  const { unpackEmbeddedDatabase } = await import('./embedded-database.js')
  const { startPostgres } = await import('./postgres/postgres-server.js')
  const embedded = await unpackEmbeddedDatabase()
  const server = await startPostgres()
  process.env.TEST_POSTGRES_URL = server.url
  globalThis.stopSharedStores = async () => {
    await server.stop()
    await embedded.remove()
  }
}

declare global {
  var stopSharedStores: () => Promise<void>
}

// Jest compiles this file but loads it with Node's own resolver, to which its moduleNameMapper is
// unknown: './x.js' has to find './x.ts' here too.
function findSourcesOfJsNames(): void {
  const loader = Module as unknown as { _resolveFilename(name: string, ...rest: unknown[]): string }
  const resolve = loader._resolveFilename
  loader._resolveFilename = (name, ...rest) => {
    try {
      return resolve.call(Module, name, ...rest)
    } catch (error) {
      if (!/^\.{1,2}\/.*\.js$/.test(name)) throw error
      return resolve.call(Module, name.replace(/\.js$/, '.ts'), ...rest)
    }
  }
}
