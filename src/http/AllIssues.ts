import { HttpApi, type HttpApiGroup } from "@effect/platform"
import { Option, Schema, SchemaAST } from "effect"

/** Describes the fields of a list's items too, where those have defaults. */
const describeItems = (ast: SchemaAST.AST): SchemaAST.AST => {
  switch (ast._tag) {
    case "TupleType": {
      const rest = ast.rest.map(({ annotations, type }) => new SchemaAST.Type(describeItems(type), annotations))
      return new SchemaAST.TupleType(ast.elements, rest, ast.isReadonly, ast.annotations)
    }
    case "Refinement":
      return new SchemaAST.Refinement(describeItems(ast.from), ast.filter, ast.annotations)
    case "Transformation":
      return new SchemaAST.Transformation(
        mapTransformationFields(
          ast,
          (field, annotations) =>
            new SchemaAST.PropertySignature(field.name, field.type, field.isOptional, field.isReadonly, annotations)
        ),
        ast.to,
        ast.transformation,
        ast.annotations
      )
    default:
      return ast
  }
}

const parseOptionsOf = (ast: SchemaAST.AST) => Option.getOrElse(SchemaAST.getParseOptionsAnnotation(ast), () => ({}))

/** Only the first flaw within a field is reported: a list of a million items may have a million flaws. */
const stopAtFirstIssue = (field: SchemaAST.PropertySignature, annotations = field.annotations) =>
  new SchemaAST.PropertySignature(
    field.name,
    SchemaAST.annotations(describeItems(field.type), {
      [SchemaAST.ParseOptionsAnnotationId]: { ...parseOptionsOf(field.type), errors: "first" }
    }),
    field.isOptional,
    field.isReadonly,
    annotations
  )

/**
 * The encoded side of a struct with defaults. Effect keeps what describes a field on the decoded side only, and the
 * document is of the encoded one.
 */
const mapTransformationFields = (
  { from, to }: SchemaAST.Transformation,
  map: typeof stopAtFirstIssue
): SchemaAST.AST => {
  if (!SchemaAST.isTypeLiteral(from) || !SchemaAST.isTypeLiteral(to)) return mapFields(from)
  const decoded = new Map(to.propertySignatures.map(({ annotations, name }) => [name, annotations]))
  const fields = from.propertySignatures.map((field) =>
    map(field, { ...decoded.get(field.name), ...field.annotations })
  )
  return new SchemaAST.TypeLiteral(fields, from.indexSignatures, from.annotations)
}

const mapFields = (ast: SchemaAST.AST): SchemaAST.AST => {
  switch (ast._tag) {
    case "TypeLiteral":
      return new SchemaAST.TypeLiteral(
        ast.propertySignatures.map((field) => stopAtFirstIssue(field)),
        ast.indexSignatures,
        ast.annotations
      )
    case "Refinement":
      return new SchemaAST.Refinement(mapFields(ast.from), ast.filter, ast.annotations)
    case "Transformation":
      return new SchemaAST.Transformation(
        mapTransformationFields(ast, stopAtFirstIssue),
        ast.to,
        ast.transformation,
        ast.annotations
      )
    default:
      return ast
  }
}

/** Returns the schema with a check of every field of an object, instead of stopping at the first invalid one. */
const withAllIssues = ({ ast }: { readonly ast: SchemaAST.AST }) => {
  const annotation = { [SchemaAST.ParseOptionsAnnotationId]: { ...parseOptionsOf(ast), errors: "all" } }
  return Schema.make(SchemaAST.annotations(mapFields(ast), annotation))
}

/**
 * Makes each endpoint of the API report every invalid field of path, query and body. Changes the definitions in place: an
 * HttpApi cannot be rebuilt from its parts.
 */
export const reportAllIssues = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): void =>
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const { pathSchema, payloadSchema, urlParamsSchema } = endpoint
      Object.assign(endpoint, {
        pathSchema: Option.map(pathSchema, withAllIssues),
        payloadSchema: Option.map(payloadSchema, withAllIssues),
        urlParamsSchema: Option.map(urlParamsSchema, withAllIssues)
      })
    }
  })
