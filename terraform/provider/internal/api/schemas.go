package api

import _ "embed"

// Schemas are those of openapi.json that say what may be set: FunctionCreate, TriggerCreate and JobCreate, as JSON.
//
//go:embed schemas.json
var Schemas []byte
