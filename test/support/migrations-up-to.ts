import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MIGRATIONS_FOLDER } from '../sources.js'

/** Calls `use` with a folder of the migrations up to `last`, as an older release had them. */
export async function withMigrationsUpTo(
  last: string,
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-migrations-'))
  try {
    await cp(MIGRATIONS_FOLDER, folder, { recursive: true })
    const file = join(folder, 'meta/_journal.json')
    const journal = JSON.parse(await readFile(file, 'utf8')) as { entries: { tag: string }[] }
    const index = journal.entries.findIndex(({ tag }) => tag === last)
    if (index < 0) throw new Error(`There is no migration ${last}`)
    journal.entries.length = index + 1
    await writeFile(file, JSON.stringify(journal))
    await use(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
