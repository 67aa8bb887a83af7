# Heredocs made by chance: indents, blanks, `~` marks, directives, escapes.
variable "B" {
  default = true
}
target "default" {
  args = {
    H0 = <<E0
	%{ for q in ["1","2"] }z$"	
 		
 
%{ endfor }
E0
    H1 = <<-E1
 	    yy  	${ "v" }EOTx 	z$
E1
    H2 = <<-E2
  %{ for q in ["1","2"] }%{ if B ~}${~ "v" }%%{      "
 
é      %{ else }	${ "v" }%{~ endif ~}    %{ endfor }EOTx
	E2
    H3 = <<-E3
${ "v" ~}
  

	E3
    H4 = <<-E4
\n%{ if B ~}	
    

 
      x%{ endif ~}
	E4
    H5 = <<-E5
$${q}      
	
  \n
	E5
    H6 = <<-E6
%{~ if B }%{ for q in ["1","2"] ~}    %{ endfor ~} 	
 
%{~ for q in ["1","2"] ~}
    %%{%{ endfor ~}%{~ else ~}"%{~ endif }z$ 	"	\nEOTx
  E6
    H7 = <<-E7
%{ if B }${~ "v" }EOTx      %{ endif }%{~ for q in ["1","2"] }      %{~ endfor }%{~ if B ~}\n\n        	\n$${q}${ "v" }%{~ endif }
  E7
    H8 = <<-E8
	${~ "v" }          ${ "v" ~}  ${ "v" }
	E8
    H9 = <<E9
${ "v" }\n
 

	E9
    H10 = <<E10
${~ "v" }${ "v" }        ${ "v" }é    
	E10
    H11 = <<-E11
${ "v" }

${ "v" }
E11
    H12 = <<E12
    z$ 	é    
	E12
    H13 = <<-E13
${~ "v" }   	
  E13
    H14 = <<E14
  	%{~ for q in ["1","2"] }${ "v" }	
    
    

%{~ endfor }    

	E14
    H15 = <<-E15
$${q}${~ "v" }%{~ for q in ["1","2"] ~}	z$    %{ endfor }
E15
    H16 = <<-E16
%%{%{~ for q in ["1","2"] }

${~ "v" }${ "v" ~}
    %{ endfor } 	    
	E16
    H17 = <<E17
	%{~ for q in ["1","2"] }		%%{%{ endfor ~}$${q}%{~ for q in ["1","2"] ~}      %{ endfor ~}

 	
	E17
    H18 = <<-E18
%{ for q in ["1","2"] ~}      	${ "v" } 	%{~ endfor ~}%%{é$${q}z$


%{~ for q in ["1","2"] }EOTx 	
        "            ${ "v" ~}%{ endfor }
  E18
    H19 = <<-E19
${~ "v" }	${~ "v" }
E19
    H20 = <<E20
${~ "v" ~}${~ "v" ~}

      

  E20
    H21 = <<-E21
%{ if B ~}
 
%{ for q in ["1","2"] ~}      	%{~ endfor }
    ${ "v" }  yy %{~ else ~}  %%{${ "v" }    %{ endif }	  
    "é
	E21
    H22 = <<E22
    
    ${ "v" }
 

	E22
    H23 = <<-E23
%{~ if B }       	  %{~ for q in ["1","2"] ~}

    " 	 	%{ endfor }      %%{%{~ for q in ["1","2"] ~}
  ${~ "v" ~}            %{ endfor }%{ endif ~}
  E23
    H24 = <<-E24
z$%{ for q in ["1","2"] ~}
  x      ${ "v" } 		%{~ endfor }      ${~ "v" ~}
  E24
    H25 = <<-E25
%{ for q in ["1","2"] ~}x%{~ endfor ~}${~ "v" }\n
 
      é
E25
    H26 = <<-E26
%{~ if B }      %{ for q in ["1","2"] }%%{%{~ endfor ~}\né%{~ endif ~}    ${ "v" ~}
	E26
    H27 = <<-E27
${ "v" } 	z$    
	E27
    H28 = <<-E28


%{~ if B ~}${~ "v" ~}%{~ for q in ["1","2"] ~}
  " 	
  
${~ "v" }%{~ endfor ~}	${~ "v" }	 	%{~ endif ~}x

    
E28
    H29 = <<-E29
$${q}z$yy %{ if B }
 
%{~ for q in ["1","2"] ~}z$    %{ endfor }é%{ else }%{ if B ~}  %{~ else ~}
 
 	%{ endif ~}${ "v" }%{~ endif }
	E29
    H30 = <<-E30
${ "v" }%%{ 	
E30
    H31 = <<E31
%{ for q in ["1","2"] ~}	%{ endfor ~}%{~ if B ~} 	$${q}%{~ endif ~}"

${~ "v" ~}"EOTx
	E31
    H32 = <<-E32
%{~ if B }  %{ else }é${~ "v" }${~ "v" ~}%{ if B ~}      %%{"${~ "v" }
  $${q}yy %{ else }
 
EOTx  %{ endif ~}  \n%{ endif ~}
  ${ "v" }
  E32
    H33 = <<-E33
  
 
         	      
E33
    H34 = <<-E34


            
E34
    H35 = <<-E35
${ "v" }  yy ${ "v" }
 
    
  E35
    H36 = <<-E36
  ${~ "v" }${ "v" }%{ if B ~}%{ if B ~}${~ "v" }\n  $${q} 	

\nz$%{ endif }
 
      %%{ 	"%{~ else ~}      "
        
%{ endif }      ${ "v" ~}$${q}
	E36
    H37 = <<-E37
${ "v" ~}      ${ "v" }${~ "v" }
E37
    H38 = <<-E38
 	%{~ for q in ["1","2"] }%{~ for q in ["1","2"] ~}é

    ${ "v" }é 	${ "v" ~}%{~ endfor }é 	

  \né%{~ endfor }
 
yy 
E38
    H39 = <<-E39
%{ if B ~}  ${ "v" }%{ else }          ${ "v" }    	   	%{ endif }    ${ "v" }${~ "v" ~}
  E39
    H40 = <<-E40
${ "v" }
 

  
    ${ "v" }	
E40
    H41 = <<-E41
%{ if B }%{~ for q in ["1","2"] }${~ "v" }${~ "v" }	%{ endfor ~} 	  %{ else }%{~ for q in ["1","2"] ~} 	${ "v" }
 
"\n%{~ endfor ~}    \n${~ "v" }%{~ endif ~}
E41
    H42 = <<-E42
%{ if B }	%{ else }	EOTx    

 
%{~ endif }${~ "v" }"%{~ if B ~}x    "
 
%{~ endif }é${ "v" ~}%%{z$
  E42
    H43 = <<-E43
          	


  E43
    H44 = <<-E44
%{ for q in ["1","2"] }    
  %{ endfor }
E44
    H45 = <<E45
${~ "v" }"EOTx
    
E45
    H46 = <<-E46
xx
    
    

      
	E46
    H47 = <<-E47


 	%{~ for q in ["1","2"] }  %{ endfor ~}
	E47
    H48 = <<-E48
${~ "v" }é  
	E48
    H49 = <<E49


%{ for q in ["1","2"] ~}	%{~ if B ~}	
  
  %{~ endif }${~ "v" }${~ "v" }${ "v" }%{ endfor }	      
 
   	 	
  E49
    H50 = <<-E50
  
 
 	${~ "v" }
	E50
    H51 = <<E51

   	${~ "v" }      
E51
    H52 = <<E52
%{ for q in ["1","2"] }${~ "v" }%%{      z$%{ endfor }
  E52
    H53 = <<-E53
yy ${ "v" ~}%{ for q in ["1","2"] }            %{~ endfor ~}${~ "v" }é          ${ "v" }
  E53
    H54 = <<-E54
%{~ if B }
 
\n${~ "v" ~}      %{ for q in ["1","2"] ~}${ "v" }é      xEOTx
    \n%{ endfor }%{ else } 	    	%{ endif ~}
  %%{
${~ "v" } 	
  E54
    H55 = <<E55
 	${~ "v" }x

%%{EOTx
E55
    H56 = <<E56
    ${~ "v" ~}${~ "v" }%{ for q in ["1","2"] }"%{~ if B ~}${ "v" ~}EOTx"${ "v" }$${q}%{ else }
yy %{~ endif ~}$${q}${ "v" }${~ "v" ~}yy %{~ endfor ~}$${q}	 	 	
E56
    H57 = <<E57
	${ "v" }${ "v" ~}
  E57
    H58 = <<-E58

          %{ if B } 	    %{ else }	${ "v" }      "%{ for q in ["1","2"] }
z$%{~ endfor ~}    EOTx%{ endif }
  E58
    H59 = <<E59
${ "v" }$${q}
  E59
    H60 = <<E60
${~ "v" }${ "v" }      é	
  E60
    H61 = <<-E61
	  
                EOTx
	E61
    H62 = <<-E62

  
  %{ if B }%{ if B }${ "v" ~}
 
%{~ endif ~}
    z$%{ endif }${~ "v" ~}%%{	      
 

	E62
    H63 = <<E63
%{~ for q in ["1","2"] ~}    ${ "v" }
    %{~ if B ~}	
  ${~ "v" ~}$${q}yy %{ endif ~}${ "v" }%{~ endfor ~}xyy " 	${ "v" ~}
  E63
    H64 = <<-E64
${~ "v" }${ "v" }      
E64
    H65 = <<E65
    ${~ "v" }    	
E65
    H66 = <<E66
${ "v" } 	      ${ "v" ~}"
 
%{~ for q in ["1","2"] ~}yy %{ endfor }
E66
    H67 = <<-E67
	 	%{ for q in ["1","2"] }"${ "v" }"${~ "v" }\né%{~ endfor }${ "v" ~}    	
  E67
    H68 = <<-E68
	    $${q} 	
  x${ "v" ~}
  E68
    H69 = <<-E69
      %{~ if B ~}      ${~ "v" }\né${ "v" ~}${~ "v" ~}%{~ else ~}${~ "v" ~}        ${ "v" }       		
%{ endif }       	"  
  %{~ if B }
%{ endif ~}
  E69
    H70 = <<-E70
%%{EOTx

%{~ if B }    %{~ for q in ["1","2"] }    ${ "v" }    ${~ "v" ~}    %{~ endfor }      %{ else }	
    ${ "v" ~}      é${ "v" ~}EOTx${ "v" }%{~ endif }
  E70
    H71 = <<-E71
  %{ for q in ["1","2"] }

 	yy ${~ "v" }${~ "v" }      %{ if B ~}
  é
  %{ endif }%{~ endfor } 	${ "v" ~}

E71
    H72 = <<-E72

      EOTx      " 	    
E72
    H73 = <<-E73
  ${ "v" ~}
${~ "v" }      %{ for q in ["1","2"] }%{ if B ~}	$${q}      ${ "v" ~}	
    %{~ endif ~}	
 
    ${~ "v" }x"%{~ endfor }
  E73
    H74 = <<E74

%{ if B }${~ "v" ~}${ "v" ~}$${q}z$%{~ else ~}é
%{~ endif ~}EOTx	"    %{ if B }%{ endif ~}
E74
    H75 = <<E75
${ "v" }
%%{    
E75
    H76 = <<E76
          	        
  E76
    H77 = <<-E77
%%{%{ if B }${ "v" }%{ else }EOTx${~ "v" ~}	${ "v" }    x
%{~ endif } 	      ${ "v" ~}      
	E77
    H78 = <<-E78
 	  

  %{ for q in ["1","2"] }
%{ endfor ~}x
E78
    H79 = <<-E79
${ "v" }      EOTx${ "v" }${ "v" }é
  E79
    H80 = <<-E80
${ "v" }	      \n
  E80
    H81 = <<-E81

  z$%{~ for q in ["1","2"] }${ "v" ~}é	  %{~ endfor ~}z$ 	%{ for q in ["1","2"] ~}\n%{~ if B ~}%%{%{ endif ~}é${ "v" ~}	
${ "v" }%{ endfor }
	E81
    H82 = <<-E82
${ "v" }${ "v" }
  	${~ "v" ~}\n      
E82
    H83 = <<E83
${ "v" }
 
x
 

${ "v" ~}
	E83
    H84 = <<E84
%%{${ "v" }
 
 	%{ for q in ["1","2"] }x	%{~ endfor }
E84
    H85 = <<-E85

 
éEOTx 	%%{%{ if B }\n${~ "v" }%{ else }%%{${ "v" ~}
  %{~ endif ~}  
E85
    H86 = <<-E86
${ "v" }    ${ "v" }
 
      é
	E86
    H87 = <<E87
${ "v" ~} 	      %{~ if B }yy $${q}    %{~ endif ~}	${ "v" }  
	E87
    H88 = <<-E88
    %{ for q in ["1","2"] ~}$${q}%{~ for q in ["1","2"] }yy EOTx%{ endfor ~}${ "v" ~}%{ endfor ~}EOTxyy $${q}	      
  
E88
    H89 = <<-E89
${~ "v" }
    %{~ for q in ["1","2"] ~}      	"%{~ if B ~}${ "v" }%%{
      ${ "v" }
%{ endif }%{~ endfor }    \n${ "v" ~}


  E89
    H90 = <<-E90
    %{ for q in ["1","2"] ~}
 
x${~ "v" ~}"%%{%{ for q in ["1","2"] ~}${ "v" ~}  
    	${~ "v" }%{~ endfor }  %{ endfor }${~ "v" }EOTx
	E90
    H91 = <<-E91
	%{ if B }%{ for q in ["1","2"] ~}

	  %{~ endfor ~}%{ endif }${~ "v" }	
  E91
    H92 = <<-E92
	        ${ "v" ~}
          
  E92
    H93 = <<E93
 	  
  
 
  %{ for q in ["1","2"] }    ${ "v" }"
	 	$${q}%{ endfor ~}é
  E93
    H94 = <<-E94
%{ if B }%%{$${q}	%%{      %{ for q in ["1","2"] ~}
    x



%%{
 
%{~ endfor ~}%{ endif ~}	
  E94
    H95 = <<-E95
"	%{ if B }z$    $${q}    %{~ else ~}EOTx
%{ if B ~}
 
${ "v" }  ${~ "v" ~}"yy %{~ endif }      "${ "v" }

%{~ endif ~}	x${ "v" }  
  E95
    H96 = <<E96

 
 	${~ "v" ~}${~ "v" ~}
  E96
    H97 = <<-E97
${~ "v" }${ "v" ~}
E97
    H98 = <<-E98

 

${ "v" ~}
  E98
    H99 = <<-E99
\n%{~ for q in ["1","2"] }

%{ if B ~}"%{~ endif ~}${~ "v" }z$%{ endfor }x%{ if B ~}%{~ for q in ["1","2"] }


%{ endfor }
%{ endif }  ${ "v" }      
E99
    H100 = <<-E100

${ "v" ~}	
  z$
  E100
    H101 = <<-E101
    %%{%{~ if B ~}%%{
  ${ "v" }${~ "v" ~}%{ for q in ["1","2"] }
 

 
%{~ endfor ~} 	%{ endif ~}
E101
    H102 = <<-E102
é    ${ "v" }${ "v" }%{~ if B ~}
%{ else }    ${ "v" }	%{ if B ~}      %{~ endif }

%{~ for q in ["1","2"] }\n"%{ endfor ~}EOTx%{ endif ~}	${~ "v" }
    
E102
    H103 = <<E103
%{~ if B }    
 
EOTx  	yy %{~ endif ~}
    
E103
    H104 = <<E104
	${ "v" }%{~ if B ~}	%{ else }  	%{~ endif ~}

    
  E104
    H105 = <<-E105
%{~ if B ~}%%{ 	%{ else }%{~ endif ~}${ "v" ~}
  E105
    H106 = <<-E106
 	yy é${~ "v" }"%{~ if B ~} 		${ "v" ~}${ "v" }
 
${ "v" }x    %{ else }yy            	%{ for q in ["1","2"] }	
    %{~ endfor }${ "v" }%{ endif ~}
  E106
    H107 = <<E107

    
    ${~ "v" } 	%{ for q in ["1","2"] }%{~ endfor }
	E107
    H108 = <<-E108
    
 
    ${~ "v" }%{ if B } 	%{ endif ~}
E108
    H109 = <<-E109
	  %{ for q in ["1","2"] }%{ endfor ~}
	E109
    H110 = <<-E110
      %{~ if B ~}
  z$%{~ else ~}      EOTxEOTx 	    %%{      %{ endif }
E110
    H111 = <<-E111
$${q}
 
        
  E111
    H112 = <<-E112
EOTx    ${ "v" } 	%{ for q in ["1","2"] ~}yy $${q}      
 
%{ if B ~}    
    %{~ else ~}  %{~ endif }$${q}%{ endfor ~}x

      
E112
    H113 = <<-E113
${ "v" }EOTx$${q}%{ if B }%%{
    %{ for q in ["1","2"] ~}

    

EOTx\n


%{ endfor }${ "v" }é  %%{
%{ else }%{ endif ~}
EOTx
    
E113
    H114 = <<-E114
%{ for q in ["1","2"] }      %{ endfor ~}${ "v" }    
  E114
    H115 = <<-E115
%{~ for q in ["1","2"] ~}yy ${ "v" }  
    %{ endfor ~}      "%{ if B }%{~ if B ~}
 
            %{~ endif }
   	%{ endif }
  
E115
    H116 = <<-E116
z$
 
%{~ if B ~}%{~ for q in ["1","2"] ~}    
 
${ "v" ~}
        	é%{~ endfor ~}	
        %{~ for q in ["1","2"] }
	%{ endfor ~}  %{~ endif }  
  E116
    H117 = <<-E117
${~ "v" }    %%{
	E117
    H118 = <<-E118

    

 
%{ if B ~}
 
${ "v" }

"%{~ else ~}
  

    %{~ endif }
  x
E118
    H119 = <<-E119

        

    
  E119
    H120 = <<E120
%{~ if B }
%{~ else ~}
  ${~ "v" }xyy %{~ endif }\nyy 
%{ if B }	 	%{ endif }
E120
    H121 = <<-E121
${ "v" ~}${ "v" }
    
  E121
    H122 = <<-E122
%{ if B }
 
${ "v" ~}${ "v" }%{~ if B ~}
  x
  x

%{ else }	%{~ endif }${ "v" ~}%{ else }${ "v" }


              %{~ endif }
  
E122
    H123 = <<-E123
${ "v" }x	$${q}${ "v" }
E123
    H124 = <<-E124
${ "v" ~}%{~ if B }      ${ "v" ~}%{ for q in ["1","2"] ~}    %{~ endfor ~}\n	%{ endif ~}z$  ${ "v" ~}	
  E124
    H125 = <<-E125
	${~ "v" }      ${ "v" ~}
E125
    H126 = <<-E126
	  %{ for q in ["1","2"] ~}      ${ "v" }z$%{ endfor ~}
  \n 	    
  E126
    H127 = <<-E127
${~ "v" ~}${~ "v" ~}yy %{ for q in ["1","2"] }${ "v" }$${q}
  %{~ endfor }${ "v" ~}
	E127
    H128 = <<-E128
%%{%{ if B ~}${ "v" }     	$${q}%{~ endif ~}        
x\n
E128
    H129 = <<-E129
      yy     
  E129
    H130 = <<-E130


"\n      \n
	E130
    H131 = <<E131
      x
     	
  E131
    H132 = <<-E132
  yy $${q}${ "v" }
E132
    H133 = <<E133
${ "v" ~}%{~ if B }%{ for q in ["1","2"] ~}${ "v" }%{~ endfor }${~ "v" }yy %{~ endif ~}EOTxé$${q}
  E133
    H134 = <<-E134
x$${q}${ "v" }  ${ "v" }
  E134
    H135 = <<-E135

    
 
%{ for q in ["1","2"] }
  %{~ if B }z$${~ "v" }é      ${ "v" }\n%{~ endif ~} 	x	%{ endfor }            
  E135
    H136 = <<E136
${~ "v" }
  
  	%{~ if B ~}é%{ if B }  ${~ "v" }%{~ else ~}          %{~ endif }
      x%{ else }
    %%{%{~ endif ~}	
E136
    H137 = <<E137
%{ for q in ["1","2"] }
  %{ if B ~}${~ "v" }    "x%{ endif ~}"        %{~ for q in ["1","2"] ~}

%{ endfor ~}
  
 
%{~ endfor }
E137
    H138 = <<-E138
  

   	${~ "v" }
 

	E138
    H139 = <<-E139
${ "v" }  
    ${~ "v" }EOTx
	E139
    H140 = <<-E140
%{~ for q in ["1","2"] }  %{ endfor ~}%%{%{ if B ~}%%{  %{~ for q in ["1","2"] ~}\n      %{~ endfor ~}	
%{ else }


      	${ "v" }%{~ endif }	
  E140
    H141 = <<-E141
	          ${ "v" ~}"%{~ if B }      ${ "v" ~}%{~ else ~}$${q}"%%{${~ "v" ~}
 
%{ endif ~}
	E141
    H142 = <<-E142
       	
  yy ${ "v" }	
	E142
    H143 = <<E143
      
EOTx    
  
	E143
    H144 = <<-E144
      	"

\n
  E144
    H145 = <<E145
%{~ for q in ["1","2"] }EOTx
  ${ "v" }\n%{~ endfor ~}
  E145
    H146 = <<E146
    "z$
 
$${q}
E146
    H147 = <<E147
é${ "v" ~}%{~ if B }		    %{~ else ~}        
  %{~ endif ~}    
  E147
    H148 = <<-E148


é        %%{${ "v" }
	E148
    H149 = <<-E149

 
%{~ if B }  


 
      %{ if B ~}  %{ else }
 
${ "v" }
    
    yy 
      %{ endif ~}
 
%%{
  %{ endif ~}	"
E149
  }
}
