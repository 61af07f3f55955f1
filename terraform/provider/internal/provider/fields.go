package provider

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int32default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"sless.dev/terraform-provider-sless/internal/api"
)

// field is what openapi.json says of a field: bounds, default and meaning are written there and nowhere else.
type field struct {
	Description   string
	Default       any
	Minimum       *int64
	Maximum       *int64
	MinLength     *int
	MaxLength     *int
	MaxItems      *int
	MaxProperties *int
	Pattern       string
	Enum          []*string
	Items         *field
	Properties    map[string]field
}

// fields of one kind by their REST names.
type fields map[string]field

var documented = readSchemas()

func readSchemas() map[string]fields {
	var schemas map[string]struct{ Properties fields }
	if err := json.Unmarshal(api.Schemas, &schemas); err != nil {
		panic(err) // a file of this very program
	}
	read := map[string]fields{}
	for name, each := range schemas {
		read[name] = each.Properties
	}
	return read
}

// requiredText may not change afterwards: another value is another object.
func (f field) requiredText() schema.StringAttribute {
	replaced := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	return schema.StringAttribute{Required: true, MarkdownDescription: f.meaning(), Validators: f.textRules(), PlanModifiers: replaced}
}

func (f field) text() schema.StringAttribute {
	made := schema.StringAttribute{Optional: true, MarkdownDescription: f.meaning(), Validators: f.textRules()}
	if value, ok := f.Default.(string); ok {
		made.Computed, made.Default = true, stringdefault.StaticString(value)
	}
	return made
}

// jsonText is compared by what it means; how it is written does not matter.
func (f field) jsonText() schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, CustomType: jsontypes.NormalizedType{}, MarkdownDescription: f.meaning(),
		Validators: f.textRules(), PlanModifiers: []planmodifier.String{sameJSON{}},
	}
}

func (f field) integer() schema.Int32Attribute {
	made := schema.Int32Attribute{Optional: true, MarkdownDescription: f.meaning()}
	if f.Minimum != nil {
		made.Validators = append(made.Validators, int32validator.AtLeast(int32(*f.Minimum)))
	}
	if f.Maximum != nil {
		made.Validators = append(made.Validators, int32validator.AtMost(int32(*f.Maximum)))
	}
	if value, ok := f.Default.(float64); ok {
		made.Computed, made.Default = true, int32default.StaticInt32(int32(value))
	}
	return made
}

func (f field) long() schema.Int64Attribute {
	made := schema.Int64Attribute{Optional: true, MarkdownDescription: f.meaning()}
	if f.Minimum != nil {
		made.Validators = append(made.Validators, int64validator.AtLeast(*f.Minimum))
	}
	if value, ok := f.Default.(float64); ok {
		made.Computed, made.Default = true, int64default.StaticInt64(int64(value))
	}
	return made
}

func (f field) flag() schema.BoolAttribute {
	made := schema.BoolAttribute{Optional: true, MarkdownDescription: f.meaning()}
	if value, ok := f.Default.(bool); ok {
		made.Computed, made.Default = true, booldefault.StaticBool(value)
	}
	return made
}

func (f field) textMap() schema.MapAttribute {
	made := schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: f.meaning()}
	if f.MaxProperties != nil {
		made.Validators = append(made.Validators, mapvalidator.SizeAtMost(*f.MaxProperties))
	}
	return made
}

func (f field) textList() schema.ListAttribute {
	made := schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: f.meaning()}
	if f.MaxItems != nil {
		made.Validators = append(made.Validators, listvalidator.SizeAtMost(*f.MaxItems))
	}
	if f.Items != nil {
		made.Validators = append(made.Validators, listvalidator.ValueStringsAre(f.Items.textRules()...))
	}
	return made
}

// nested is an object whose members are texts, or objects of texts.
func (f field) nested() schema.SingleNestedAttribute {
	made := schema.SingleNestedAttribute{Optional: true, MarkdownDescription: f.meaning(), Attributes: map[string]schema.Attribute{}}
	for name, member := range f.Properties {
		if member.Properties == nil {
			made.Attributes[name] = member.text()
		} else {
			made.Attributes[name] = member.nested()
		}
	}
	return made
}

// meaning is the description with what else a reader of the documentation wants: bounds and default.
func (f field) meaning() string {
	text := f.Description
	if f.Minimum != nil && f.Maximum != nil {
		text += fmt.Sprintf(" From %d to %d.", *f.Minimum, *f.Maximum)
	}
	switch value := f.Default.(type) {
	case string:
		text += fmt.Sprintf(" By default `%s`.", value)
	case float64, bool:
		text += fmt.Sprintf(" By default %v.", value)
	}
	return text
}

func (f field) textRules() []validator.String {
	var rules []validator.String
	if f.MinLength != nil {
		rules = append(rules, stringvalidator.LengthAtLeast(*f.MinLength))
	}
	if f.MaxLength != nil {
		rules = append(rules, stringvalidator.LengthAtMost(*f.MaxLength))
	}
	if f.Pattern != "" {
		rules = append(rules, stringvalidator.RegexMatches(regexp.MustCompile(f.Pattern), "must match "+f.Pattern))
	}
	if values := f.values(); len(values) > 0 {
		rules = append(rules, stringvalidator.OneOf(values...))
	}
	return rules
}

// values of an enum, without the null that a field which can be left out has among them.
func (f field) values() []string {
	var values []string
	for _, value := range f.Enum {
		if value != nil {
			values = append(values, *value)
		}
	}
	return values
}
