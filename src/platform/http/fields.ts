// The fields of bodies, queries and answers. Each decorator tells the API reference what it validates, so the two cannot
// differ. In answers, which we write ourselves, nothing is validated.
import { applyDecorators, type Type as Class } from '@nestjs/common'
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger'
import { Transform, Type } from 'class-transformer'
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsDate,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  IsUUID,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator'
import { BASE64URL_OF_32_BYTES } from '../secrets/token-hash.js'
import { asInstant } from '../time.js'

/** What any field may say of itself. */
export interface About {
  /** May be left out, but not null, which would be a second way to say the same thing. */
  readonly optional?: boolean
  readonly nullable?: boolean
  readonly description?: string
  readonly example?: unknown
  readonly default?: unknown
}

interface Range {
  readonly min?: number
  readonly max?: number
}

/** A field of this schema. Of several rules that a value breaks, the client is told the first. */
export function field(
  schema: Readonly<Record<string, unknown>>,
  { optional = false, ...about }: About,
  ...rules: readonly PropertyDecorator[]
): PropertyDecorator {
  const isLeftOut = (value: unknown) =>
    (optional && value === undefined) || (about.nullable && value === null)
  return applyDecorators(
    ApiProperty({ ...schema, ...about, required: !optional } as ApiPropertyOptions),
    ...(optional || about.nullable ? [ValidateIf((_, value) => !isLeftOut(value))] : []),
    ...rules,
  )
}

/** The rule with this limit, if there is one. */
const given = (limit: number | undefined, rule: (limit: number) => PropertyDecorator) =>
  limit === undefined ? [] : [rule(limit)]

/** A rule of our own, which `FIELD_RULES` must know; the sentence goes on after the name of the field. */
export const Rule = (name: string, validate: (value: unknown) => boolean, sentence: string) =>
  ValidateBy({ name, validator: { validate, defaultMessage: () => `$property ${sentence}` } })

/**
 * Converts text in a query or body with `read`; what cannot be converted is left as it is, for validation to
 * refuse.
 */
export function ParseText(read: (text: string) => unknown): PropertyDecorator {
  return Transform(({ value }) => (typeof value === 'string' ? (read(value) ?? value) : value))
}

/** Text of `min` to `max` characters. */
export const Text = ({ min, max, format, ...about }: Range & { format?: string } & About = {}) =>
  field(
    { type: String, format, minLength: min, maxLength: max },
    about,
    ...given(max, MaxLength),
    ...given(min, MinLength),
    IsString(),
  )

/**
 * In no text of one line that we store, as the inside of a regular expression's brackets: control characters (a database
 * refuses NUL), unpaired surrogates, and what would have a reader see another text: line separators, and characters that
 * change the direction of what follows (Unicode TR 36 §2.10.3).
 */
export const UNSTORABLE = String.raw`\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`
const STORABLE = new RegExp(`^[^${UNSTORABLE}]+$`, 'u')

/** One line of text of `min` to `max` characters that is stored or searched for. */
export const Line = ({ min, max, ...about }: Required<Range> & About) =>
  field(
    { type: String, minLength: min, maxLength: max },
    about,
    IsString(),
    Length(min, max),
    Matches(STORABLE),
  )

/** 32 bytes as base64url; `sentence` goes on after the name of the field. */
export const ThirtyTwoBytes = ({ sentence, ...about }: { sentence: string } & About) =>
  field(
    { type: String, minLength: 43, maxLength: 43 },
    about,
    Matches(BASE64URL_OF_32_BYTES, { message: `$property ${sentence}` }),
  )

/** The path and query of an address, as browsers spell them: nothing in it can lead to another site. */
export const PathOfSite = ({ max, ...about }: { max: number } & About) =>
  field(
    { type: String, maxLength: max },
    about,
    MaxLength(max),
    Matches(/^\/[!"$-[\]-~]*$/, {
      message: '$property must be a path, with its query but without a fragment',
    }),
  )

/** Only for answers: the format is not checked. */
export const Url = (about: About = {}) => Text({ format: 'uri', ...about })

/** A UUID. */
export const Id = (about: About = {}) => field({ type: String, format: 'uuid' }, about, IsUUID())

/** A time with an offset; in a body or query it becomes a Date. */
export const Instant = (about: About = {}) =>
  field(
    { type: String, format: 'date-time' },
    about,
    ParseText(asInstant),
    IsDate({ message: '$property must be a time such as 2026-11-21T10:00:00Z' }),
  )

export const Flag = (about: About = {}) => field({ type: Boolean }, about, IsBoolean())

/** A whole number. */
export const Whole = ({ min, max, ...about }: Range & About = {}) =>
  field(
    { type: 'integer', minimum: min, maximum: max },
    about,
    ...given(max, Max),
    ...given(min, Min),
    IsInt(),
  )

export const OneOf = (values: readonly string[], about: About = {}) =>
  field({ enum: [...values] }, about, IsIn(values))

/** An object of this class. */
export const Nested = (type: Class, about: About = {}) =>
  field(
    { type },
    about,
    Type(() => type),
    ValidateNested(),
    IsObject(),
  )

/** An object with any names, all of whose values are texts. Only for answers: the values are not checked. */
export const TextsByName = (about: About = {}) =>
  field({ type: 'object', additionalProperties: { type: 'string' } }, about, IsObject())

/** A list of texts, of `maxLength` characters at most, or of objects of a class. */
export const ListOf = (
  item: StringConstructor | Class,
  { min, max, unique, maxLength, ...about }: Range & { unique?: true; maxLength?: number } & About = {},
) =>
  field(
    { type: [item], minItems: min, maxItems: max, uniqueItems: unique },
    about,
    IsArray(),
    ...given(min, ArrayMinSize),
    ...given(max, ArrayMaxSize),
    ...(unique ? [ArrayUnique()] : []),
    ...(item === String
      ? [IsString({ each: true })]
      : [Type(() => item as Class), ValidateNested({ each: true })]),
    ...given(maxLength, longest => MaxLength(longest, { each: true })),
  )
