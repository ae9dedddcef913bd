import { describe, expect, it } from '@jest/globals'
import { previousRelease } from '../previous-release.js'
import { ARGUED } from './argued.js'
import { isHarmless } from './rules.js'
import { migrationsOf, statementsIn, tablesCreatedBy } from './statements.js'

describe('migrations since the release before', () => {
  const released = migrationsOf(previousRelease())
  const all = migrationsOf(process.cwd())
  const added = all.slice(released.length)

  it('come after those that are out, which nobody has changed', () => {
    expect(all.slice(0, released.length)).toEqual(released)
    expect(all.map(({ when }) => when)).toEqual(all.map(({ when }) => when).sort((a, b) => a - b))
    expect(new Set(all.map(({ when }) => when)).size).toBe(all.length)
  })

  it('do nothing that the release before would notice, except for reasons (argued.ts)', () => {
    const known = tablesCreatedBy(released.flatMap(({ sql }) => statementsIn(sql)))
    expect(known.size).toBeGreaterThan(10)
    const statements = added.flatMap(({ tag, sql }) => statementsIn(sql).map(statement => ({ tag, statement })))
    const created = tablesCreatedBy(statements.map(({ statement }) => statement))
    const newTables = new Set([...created].filter(table => !known.has(table)))
    const harmful = statements.filter(({ statement }) => !isHarmless(statement, newTables))
    const isArgued = ({ tag, statement }: (typeof harmful)[number]) =>
      ARGUED.some(argued => argued.in === tag && statement.startsWith(argued.statement))
    expect(harmful.filter(found => !isArgued(found))).toEqual([])
    const unused = ARGUED.filter(
      argued => !harmful.some(({ tag, statement }) => argued.in === tag && statement.startsWith(argued.statement)),
    )
    expect(unused).toEqual([])
  })
})

describe('what a migration may do without a reason', () => {
  const NEW = new Set(['passkeys'])

  it.each([
    'CREATE TABLE "passkeys" ( "id" uuid PRIMARY KEY NOT NULL )',
    'CREATE UNIQUE INDEX "passkeys_credential" ON "passkeys" USING btree ("credential_id")',
    'ALTER TABLE "passkeys" ADD CONSTRAINT "fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id")',
    'CREATE TRIGGER t BEFORE INSERT ON passkeys FOR EACH ROW EXECUTE FUNCTION f()',
    'CREATE FUNCTION "f"(a text) RETURNS boolean LANGUAGE sql AS $$',
    'ALTER TABLE "users" ADD COLUMN "nickname" text',
    'ALTER TABLE "users" ADD COLUMN "must_enrol" boolean DEFAULT false NOT NULL',
    `ALTER TABLE "users" ADD COLUMN "kind" text DEFAULT 'a b' NOT NULL`,
  ])('%s', statement => {
    expect(isHarmless(statement, NEW)).toBe(true)
  })

  it.each([
    'DROP TABLE "users"',
    'ALTER TABLE "users" DROP COLUMN "name"',
    'ALTER TABLE "users" RENAME COLUMN "name" TO "full_name"',
    'ALTER TABLE "users" RENAME TO "people"',
    'ALTER TABLE "users" ALTER COLUMN "name" SET NOT NULL',
    'ALTER TABLE "users" ALTER COLUMN "name" SET DATA TYPE varchar(10)',
    'ALTER TABLE "users" ALTER COLUMN "created_at" DROP DEFAULT',
    'ALTER TABLE "users" ADD COLUMN "nickname" text NOT NULL',
    'ALTER TABLE "users" ADD COLUMN "token" uuid DEFAULT gen_random_uuid() NOT NULL',
    'ALTER TABLE "users" ADD COLUMN "boss" uuid REFERENCES users(id)',
    'ALTER TABLE "users" ADD COLUMN "a" text, ADD COLUMN "b" text NOT NULL',
    'ALTER TABLE "users" ADD CONSTRAINT "short" CHECK (length(name) < 10)',
    'ALTER TYPE "role" ADD VALUE \'guest\'',
    'CREATE TABLE "users" ( "id" uuid )',
    'CREATE INDEX "users_name" ON "users" USING btree ("name")',
    'DROP INDEX "users_email"',
    'CREATE TRIGGER t BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION f()',
    'CREATE OR REPLACE FUNCTION "f"() RETURNS trigger LANGUAGE plpgsql AS $$',
    'DROP FUNCTION f()',
    "UPDATE users SET name = ''",
    'DELETE FROM users',
    'TRUNCATE users',
    'DO $$',
  ])('but not: %s', statement => {
    expect(isHarmless(statement, NEW)).toBe(false)
  })

  it('comments and bodies of functions are not statements', () => {
    const sql =
      '-- one; two\nCREATE FUNCTION f() RETURNS void AS $$ DROP TABLE users; $$;--> statement-breakpoint\nSELECT\n1'
    expect(statementsIn(sql)).toEqual(['CREATE FUNCTION f() RETURNS void AS $$', 'SELECT 1'])
  })
})
