package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// functionSchema: everything changes in place but the name.
func functionSchema() schema.Schema {
	function := documented["FunctionCreate"]
	runtime := function["runtime"].text()
	runtime.Optional, runtime.Required = false, true
	entrypoint := function["entrypoint"].text()
	entrypoint.Computed = true
	buildTimeout := function["build_timeout_seconds"].integer()
	buildTimeout.MarkdownDescription = "How long an apply waits until the function is ready, and the time limit of its build. By default 300 seconds."
	return schema.Schema{
		MarkdownDescription: "A function: code, how it is run, and nothing of who calls it, which is what `sless_trigger` says. " +
			"An apply sends the code, waits until the function is ready, and fails with the reason and the end of the build log when it does not become so.",
		Attributes: map[string]schema.Attribute{
			"name":              function["name"].requiredText(),
			"runtime":           runtime,
			"entrypoint":        entrypoint,
			"env":               function["env"].textMap(),
			"secrets":           function["secrets"].textList(),
			"replicas":          function["replicas"].integer(),
			"resources":         function["resources"].nested(),
			"timeout_sec":       function["timeout_seconds"].integer(),
			"concurrency":       function["concurrency"].integer(),
			"build":             function["build"].text(),
			"build_timeout_sec": buildTimeout,
			"source_dir": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "The folder of the code. What its `.gitignore` and `.slessignore` leave out stays behind, as do `.git`, `node_modules`, `__pycache__` and the like. " +
					"Without it and `filename`, the code is somebody else's affair.",
				Validators: []validator.String{stringvalidator.ConflictsWith(path.MatchRoot("filename"))},
			},
			"filename": schema.StringAttribute{Optional: true, MarkdownDescription: "A zip of the code, made elsewhere."},
			"code_hash": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "A word for the content of the code: when it changes, the code is sent. Without it: a hash of the files, which knows nothing of dates. " +
					"Give one where the zip is only made during the apply.",
			},
			"namespace": computedName("The namespace that the function is in."),
			"image":     schema.StringAttribute{Computed: true, MarkdownDescription: "The image that is deployed."},
			"phase":     schema.StringAttribute{Computed: true, MarkdownDescription: "`Ready`, once an apply has succeeded. A function that is found `Failed` is planned again."},
			"url": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "Where an enabled http trigger lets the function be called, as of the last refresh. The `url` of that trigger is known as soon as it is there.",
			},
		},
	}
}

// computedName never changes while its resource lives.
func computedName(description string) schema.StringAttribute {
	kept := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	return schema.StringAttribute{Computed: true, MarkdownDescription: description, PlanModifiers: kept}
}
