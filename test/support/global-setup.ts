import Module from 'node:module'

/** Starts the one PostgreSQL of the test run. Workers and tests find it by TEST_POSTGRES_URL. */
export default async function globalSetup(): Promise<void> {
  findSourcesOfJsNames()
  const { startPostgres } = await import('./postgres/postgres-server.js')
  const server = await startPostgres()
  process.env.TEST_POSTGRES_URL = server.url
  globalThis.stopSharedPostgres = () => server.stop()
}

declare global {
  var stopSharedPostgres: () => Promise<void>
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
